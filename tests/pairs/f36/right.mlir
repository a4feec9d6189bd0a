// pair: --contract unknown --level full: Equal
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %0 = stablehlo.convert %x : (tensor<16xf32>) -> tensor<16xbf16>
  %1 = stablehlo.convert %0 : (tensor<16xbf16>) -> tensor<16xf32>
  %2 = stablehlo.convert %1 : (tensor<16xf32>) -> tensor<16xbf16>
  %r = stablehlo.convert %2 : (tensor<16xbf16>) -> tensor<16xf32>
  return %r : tensor<16xf32>
}
