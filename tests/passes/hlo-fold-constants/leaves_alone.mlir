// pass: hlo-fold-constants
// Arithmetic of floats, broadcasts, contractions, barriers and ops with regions stay.
func.func @main(%x: tensor<3xf32>) -> (tensor<2x3xf32>, tensor<i32>, tensor<i32>, tensor<3xf32>, tensor<3xf32>) {
  %a = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %k = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.broadcast_in_dim %a, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
  %1 = stablehlo.dot_general %k, %k, contracting_dims = [0] x [0] : (tensor<3xi32>, tensor<3xi32>) -> tensor<i32>
  %2 = stablehlo.reduce(%k init: %z) applies stablehlo.add across dimensions = [0] : (tensor<3xi32>, tensor<i32>) -> tensor<i32>
  %3 = stablehlo.optimization_barrier %a : tensor<3xf32>
  %4 = stablehlo.add %3, %x : tensor<3xf32>
  %5 = stablehlo.divide %a, %a : tensor<3xf32>
  return %0, %1, %2, %4, %5 : tensor<2x3xf32>, tensor<i32>, tensor<i32>, tensor<3xf32>, tensor<3xf32>
}
