func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %three = stablehlo.constant dense<3.0> : tensor<f32>
  %c = stablehlo.log %three : tensor<f32>
  %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<f32>) -> tensor<4xf32>
  %2 = stablehlo.multiply %x, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
