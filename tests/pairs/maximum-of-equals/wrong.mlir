// pair: --contract xla --level full: Miscompile
func.func @main(%x: tensor<4096xf32>, %y: tensor<4096xf32>) -> tensor<f32> {
  %i = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %p = stablehlo.multiply %x, %y : tensor<4096xf32>
  %m = stablehlo.slice %p [0:1] : (tensor<4096xf32>) -> tensor<1xf32>
  %r = stablehlo.reduce(%m init: %i) applies stablehlo.maximum across dimensions = [0] : (tensor<1xf32>, tensor<f32>) -> tensor<f32>
  return %r : tensor<f32>
}
