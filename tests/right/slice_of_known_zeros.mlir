// Several rewrites together find that a slice of what was put together is a constant.
func.func @main(%v: tensor<4xf32>) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<2xf32>
  %c = stablehlo.concatenate %zero, %v, dim = 0 : (tensor<2xf32>, tensor<4xf32>) -> tensor<6xf32>
  %s = stablehlo.slice %c [1:2] : (tensor<6xf32>) -> tensor<1xf32>
  %r = stablehlo.reshape %s : (tensor<1xf32>) -> tensor<f32>
  %b = stablehlo.broadcast_in_dim %r, dims = [] : (tensor<f32>) -> tensor<4xf32>
  %p = stablehlo.add %b, %v : tensor<4xf32>
  return %p : tensor<4xf32>
}
