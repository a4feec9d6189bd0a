// exp(a)*exp(b) as exp(a+b) hides overflow of one factor
func.func @main(%a: tensor<16xf32>, %b: tensor<16xf32>) -> tensor<16xf32> {
  %0 = stablehlo.exponential %a : tensor<16xf32>
  %1 = stablehlo.exponential %b : tensor<16xf32>
  %r = stablehlo.multiply %0, %1 : tensor<16xf32>
  return %r : tensor<16xf32>
}
