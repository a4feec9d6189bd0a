// pass: hlo-to-tpu --level full
// Comparisons give masks; a clamp is a maximum and a minimum.
func.func @main(%a: tensor<9x140xf32>, %b: tensor<9x140xf32>) -> tensor<9x140xf32> {
  %low = stablehlo.constant dense<-1.0> : tensor<f32>
  %high = stablehlo.constant dense<1.0> : tensor<f32>
  %0 = stablehlo.compare LT, %a, %b : (tensor<9x140xf32>, tensor<9x140xf32>) -> tensor<9x140xi1>
  %1 = stablehlo.clamp %low, %a, %high : (tensor<f32>, tensor<9x140xf32>, tensor<f32>) -> tensor<9x140xf32>
  %2 = stablehlo.select %0, %1, %b : tensor<9x140xi1>, tensor<9x140xf32>
  return %2 : tensor<9x140xf32>
}
