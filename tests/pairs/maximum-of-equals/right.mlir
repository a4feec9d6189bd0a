// pair: --contract xla: E
func.func @main(%x: tensor<4096xf32>, %y: tensor<4096xf32>) -> tensor<f32> {
  %i = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %p = stablehlo.multiply %x, %y : tensor<4096xf32>
  %m = stablehlo.reshape %p : (tensor<4096xf32>) -> tensor<64x64xf32>
  %s = stablehlo.reduce(%m init: %i) applies stablehlo.maximum across dimensions = [0] : (tensor<64x64xf32>, tensor<f32>) -> tensor<64xf32>
  %r = stablehlo.reduce(%s init: %i) applies stablehlo.maximum across dimensions = [0] : (tensor<64xf32>, tensor<f32>) -> tensor<f32>
  return %r : tensor<f32>
}
