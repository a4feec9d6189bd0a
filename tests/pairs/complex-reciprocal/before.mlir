func.func @main(%z: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  %c = stablehlo.constant dense<(12.0, 0.0)> : tensor<4xcomplex<f32>>
  %r = stablehlo.divide %z, %c : tensor<4xcomplex<f32>>
  return %r : tensor<4xcomplex<f32>>
}
