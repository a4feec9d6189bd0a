// pair: --contract unknown --level full: Equal
func.func @main(%x: tensor<64xf32>) -> tensor<f32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %a = stablehlo.abs %x : tensor<64xf32>
  %r = stablehlo.reduce(%a init: %z) applies stablehlo.maximum across dimensions = [0] : (tensor<64xf32>, tensor<f32>) -> tensor<f32>
  return %r : tensor<f32>
}
