// pair: --contract unknown --level full: Equal
func.func @main(%a: tensor<16xf32>, %b: tensor<16xf32>, %c: tensor<16xf32>) -> tensor<16xf32> {
  %0 = stablehlo.divide %a, %b : tensor<16xf32>
  %s = stablehlo.divide %0, %c : tensor<16xf32>
  %n = stablehlo.negate %s : tensor<16xf32>
  %r = stablehlo.negate %n : tensor<16xf32>
  return %r : tensor<16xf32>
}
