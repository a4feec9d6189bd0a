// pair: --contract unknown --level full: Miscompile
func.func @main(%o: tensor<32xi32>) -> tensor<32xi32> {
  %j = stablehlo.iota dim = 0 : tensor<4x8xi32>
  %l = stablehlo.iota dim = 1 : tensor<4x8xi32>
  %e = stablehlo.constant dense<8> : tensor<4x8xi32>
  %c = stablehlo.constant dense<20> : tensor<4x8xi32>
  %b = stablehlo.multiply %j, %e : tensor<4x8xi32>
  %bm = stablehlo.remainder %b, %c : tensor<4x8xi32>
  %s = stablehlo.add %bm, %l : tensor<4x8xi32>
  %m = stablehlo.reshape %s : (tensor<4x8xi32>) -> tensor<32xi32>
  %r = stablehlo.add %o, %m : tensor<32xi32>
  return %r : tensor<32xi32>
}
