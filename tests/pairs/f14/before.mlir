// x + 0 is not x at -0
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<16xf32>
  %r = stablehlo.add %x, %z : tensor<16xf32>
  return %r : tensor<16xf32>
}
