// pair: --contract xla: Equal
func.func @main(%z: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  %c = stablehlo.constant dense<(0.0833333358, 0.0)> : tensor<4xcomplex<f32>>
  %r = stablehlo.multiply %z, %c : tensor<4xcomplex<f32>>
  return %r : tensor<4xcomplex<f32>>
}
