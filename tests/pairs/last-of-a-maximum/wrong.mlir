// pair: --contract unknown --level full: Miscompile
func.func @main(%a: tensor<1000xf32>) -> tensor<f32> {
  %s = stablehlo.slice %a [0:999] : (tensor<1000xf32>) -> tensor<999xf32>
  %i = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = stablehlo.reduce(%s init: %i) applies stablehlo.maximum across dimensions = [0] : (tensor<999xf32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
