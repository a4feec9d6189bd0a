// pair: --contract unknown --level full: Equal
func.func @main(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<2xf32>) {
  %c = stablehlo.constant dense<3.0> : tensor<8xf32>
  %p = stablehlo.multiply %x, %c : tensor<8xf32>
  %s = stablehlo.slice %x [0:2] : (tensor<8xf32>) -> tensor<2xf32>
  %e = stablehlo.constant dense<3.0> : tensor<2xf32>
  %d = stablehlo.multiply %s, %e : tensor<2xf32>
  return %p, %d : tensor<8xf32>, tensor<2xf32>
}
