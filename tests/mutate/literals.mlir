// mutators: constant-ulp constant-sign constant-scaled
func.func @main(%x: tensor<3xf32>, %i: tensor<3xi32>) -> (tensor<3xf32>, tensor<3xi32>) {
  %c = stablehlo.constant dense<[1.5, -2.0, 3.25]> : tensor<3xf32>
  %k = stablehlo.constant dense<3> : tensor<3xi32>
  %0 = stablehlo.multiply %x, %c : tensor<3xf32>
  %1 = stablehlo.multiply %i, %k : tensor<3xi32>
  return %0, %1 : tensor<3xf32>, tensor<3xi32>
}
