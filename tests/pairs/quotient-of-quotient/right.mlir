// pair: --contract strict --level full: Equal
func.func @main(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>) -> tensor<f32> {
  %n = stablehlo.negate %a : tensor<f32>
  %m = stablehlo.negate %b : tensor<f32>
  %0 = stablehlo.divide %n, %m : tensor<f32>
  %1 = stablehlo.divide %0, %c : tensor<f32>
  return %1 : tensor<f32>
}
