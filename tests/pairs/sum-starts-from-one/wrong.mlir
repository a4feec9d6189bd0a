// pair: --contract xla: Miscompile
func.func @main(%x: tensor<6x5xf32>) -> tensor<6xf32> {
  %i = stablehlo.constant dense<1.0> : tensor<f32>
  %r = stablehlo.reduce(%x init: %i) applies stablehlo.add across dimensions = [1] : (tensor<6x5xf32>, tensor<f32>) -> tensor<6xf32>
  return %r : tensor<6xf32>
}
