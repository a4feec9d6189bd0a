// products kept in f32, and rounded to bf16 on the way
func.func @main(%a: tensor<64xf32>, %b: tensor<64xf32>) -> tensor<64xf32> {
  %0 = stablehlo.multiply %a, %b : tensor<64xf32>
  %1 = stablehlo.add %0, %b : tensor<64xf32>
  return %1 : tensor<64xf32>
}
