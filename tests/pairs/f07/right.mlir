// pair: --contract unknown --level full: Equal
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %n = stablehlo.abs %x : tensor<16xf32>
  %0 = stablehlo.multiply %n, %n : tensor<16xf32>
  %r = stablehlo.sqrt %0 : tensor<16xf32>
  return %r : tensor<16xf32>
}
