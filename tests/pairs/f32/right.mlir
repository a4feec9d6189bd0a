// pair: --contract unknown --level full: Equal
func.func @main(%o: tensor<32xi32>) -> tensor<32xi32> {
  %i = stablehlo.iota dim = 0 : tensor<32xi32>
  %c = stablehlo.constant dense<20> : tensor<32xi32>
  %q = stablehlo.divide %i, %c : tensor<32xi32>
  %p = stablehlo.multiply %q, %c : tensor<32xi32>
  %m = stablehlo.subtract %i, %p : tensor<32xi32>
  %r = stablehlo.add %o, %m : tensor<32xi32>
  return %r : tensor<32xi32>
}
