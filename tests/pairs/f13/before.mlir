// select(x < 0, 0, x) with <= loses -0
func.func @main(%x: tensor<16xf64>) -> tensor<16xf64> {
  %z = stablehlo.constant dense<0.0> : tensor<16xf64>
  %p = stablehlo.compare LT, %x, %z : (tensor<16xf64>, tensor<16xf64>) -> tensor<16xi1>
  %r = stablehlo.select %p, %z, %x : tensor<16xi1>, tensor<16xf64>
  return %r : tensor<16xf64>
}
