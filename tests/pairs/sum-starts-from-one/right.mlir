// pair: --contract xla: Equal
func.func @main(%x: tensor<6x5xf32>) -> tensor<6xf32> {
  %i = stablehlo.constant dense<0.0> : tensor<f32>
  %t = stablehlo.transpose %x, dims = [1, 0] : (tensor<6x5xf32>) -> tensor<5x6xf32>
  %r = stablehlo.reduce(%t init: %i) applies stablehlo.add across dimensions = [0] : (tensor<5x6xf32>, tensor<f32>) -> tensor<6xf32>
  return %r : tensor<6xf32>
}
