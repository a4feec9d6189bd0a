// log(pow(a,b)) as b*log(abs a)
func.func @main(%a: tensor<16xf32>, %b: tensor<16xf32>) -> tensor<16xf32> {
  %0 = stablehlo.power %a, %b : tensor<16xf32>
  %r = stablehlo.log %0 : tensor<16xf32>
  return %r : tensor<16xf32>
}
