// (a/b)/c as a/(b*c) overflows where the quotients do not
func.func @main(%a: tensor<16xf32>, %b: tensor<16xf32>, %c: tensor<16xf32>) -> tensor<16xf32> {
  %0 = stablehlo.divide %a, %b : tensor<16xf32>
  %r = stablehlo.divide %0, %c : tensor<16xf32>
  return %r : tensor<16xf32>
}
