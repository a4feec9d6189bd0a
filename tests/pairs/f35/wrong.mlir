// pair: --contract unknown --level full: NumericsViolation
func.func @main(%a: tensor<16xf32>, %b: tensor<16xf32>, %c: tensor<16xf32>) -> tensor<16xf32> {
  %0 = stablehlo.multiply %b, %c : tensor<16xf32>
  %r = stablehlo.divide %a, %0 : tensor<16xf32>
  return %r : tensor<16xf32>
}
