func.func @main(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.multiply %a, %b : tensor<f32>
  %1 = stablehlo.divide %0, %b : tensor<f32>
  return %1 : tensor<f32>
}
