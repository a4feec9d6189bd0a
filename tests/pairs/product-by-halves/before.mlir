func.func @main(%x: tensor<3x8xf32>) -> tensor<3xf32> {
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %r = stablehlo.reduce(%x init: %one) applies stablehlo.multiply across dimensions = [1] : (tensor<3x8xf32>, tensor<f32>) -> tensor<3xf32>
  return %r : tensor<3xf32>
}
