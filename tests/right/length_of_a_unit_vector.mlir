// The length of a vector of length 1, and what divides by it: equal over the reals, and two values.
func.func @main(%x: tensor<4x8xf32>) -> (tensor<4x1xf32>, tensor<4x1xf32>) {
  %n, %m = call @norm(%x) : (tensor<4x8xf32>) -> (tensor<4x1xf32>, tensor<4x1xf32>)
  %w = stablehlo.broadcast_in_dim %n, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x8xf32>
  %u = stablehlo.divide %x, %w : tensor<4x8xf32>
  %r, %s = call @norm(%u) : (tensor<4x8xf32>) -> (tensor<4x1xf32>, tensor<4x1xf32>)
  return %m, %s : tensor<4x1xf32>, tensor<4x1xf32>
}
func.func private @norm(%x: tensor<4x8xf32>) -> (tensor<4x1xf32>, tensor<4x1xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %sq = stablehlo.multiply %x, %x : tensor<4x8xf32>
  %sum = stablehlo.reduce(%sq init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  %column = stablehlo.reshape %sum : (tensor<4xf32>) -> tensor<4x1xf32>
  %n = stablehlo.sqrt %column : tensor<4x1xf32>
  %one = stablehlo.constant dense<1.0> : tensor<4x1xf32>
  %m = stablehlo.divide %one, %n : tensor<4x1xf32>
  return %n, %m : tensor<4x1xf32>, tensor<4x1xf32>
}
