// pair: --contract xla: Miscompile
func.func @main(%z: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  %c = stablehlo.constant dense<(0.0769230798, 0.0)> : tensor<4xcomplex<f32>>
  %r = stablehlo.multiply %z, %c : tensor<4xcomplex<f32>>
  return %r : tensor<4xcomplex<f32>>
}
