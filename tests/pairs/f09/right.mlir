// pair: --contract unknown --level full: Equal
func.func @main(%a: tensor<16xf32>, %b: tensor<16xf32>) -> tensor<16xf32> {
  %0 = stablehlo.power %a, %b : tensor<16xf32>
  %c = stablehlo.log %0 : tensor<16xf32>
  %n = stablehlo.negate %c : tensor<16xf32>
  %r = stablehlo.negate %n : tensor<16xf32>
  return %r : tensor<16xf32>
}
