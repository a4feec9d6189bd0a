// pair: --contract xla: Equal
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %c = stablehlo.broadcast_in_dim %z, dims = [] : (tensor<f32>) -> tensor<4xf32>
  %r = stablehlo.divide %x, %c : tensor<4xf32>
  return %r : tensor<4xf32>
}
