// the modulus of a ramp as the ramp of the modulus
func.func @main(%o: tensor<32xi32>) -> tensor<32xi32> {
  %i = stablehlo.iota dim = 0 : tensor<32xi32>
  %c = stablehlo.constant dense<20> : tensor<32xi32>
  %m = stablehlo.remainder %i, %c : tensor<32xi32>
  %r = stablehlo.add %o, %m : tensor<32xi32>
  return %r : tensor<32xi32>
}
