// a conversion to bf16 and back removed
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %0 = stablehlo.convert %x : (tensor<16xf32>) -> tensor<16xbf16>
  %r = stablehlo.convert %0 : (tensor<16xbf16>) -> tensor<16xf32>
  return %r : tensor<16xf32>
}
