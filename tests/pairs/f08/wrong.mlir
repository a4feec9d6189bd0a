// pair: --contract unknown --level full: NumericsViolation
func.func @main(%a: tensor<16xf32>, %b: tensor<16xf32>) -> tensor<16xf32> {
  %0 = stablehlo.add %a, %b : tensor<16xf32>
  %r = stablehlo.exponential %0 : tensor<16xf32>
  return %r : tensor<16xf32>
}
