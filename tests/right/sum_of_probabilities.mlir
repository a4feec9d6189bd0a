// What a softmax adds up to is 1 over the reals, and may be the number 1: no constant, it has been rounded.
func.func @main(%x: tensor<5x8xf32>) -> (tensor<5xf32>, tensor<5xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %e = stablehlo.exponential %x : tensor<5x8xf32>
  %s = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<5x8xf32>, tensor<f32>) -> tensor<5xf32>
  %w = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<5xf32>) -> tensor<5x8xf32>
  %p = stablehlo.divide %e, %w : tensor<5x8xf32>
  %t = stablehlo.reduce(%p init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<5x8xf32>, tensor<f32>) -> tensor<5xf32>
  %one = stablehlo.constant dense<1.0> : tensor<5xf32>
  %left = stablehlo.subtract %one, %t : tensor<5xf32>
  return %t, %left : tensor<5xf32>, tensor<5xf32>
}
