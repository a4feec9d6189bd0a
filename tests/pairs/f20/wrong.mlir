// pair: --contract unknown --level full: Miscompile
func.func @main(%x: tensor<8xf32>) -> tensor<8xi32> {
  %i = stablehlo.iota dim = 0 : tensor<8xi32>
  %c = stablehlo.broadcast_in_dim %x, dims = [0] : (tensor<8xf32>) -> tensor<8x8xf32>
  %d = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<8xf32>) -> tensor<8x8xf32>
  %l = stablehlo.compare LT, %d, %c : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xi1>
  %m = stablehlo.convert %l : (tensor<8x8xi1>) -> tensor<8x8xi32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %q = stablehlo.reduce(%m init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<8x8xi32>, tensor<i32>) -> tensor<8xi32>
  %r = stablehlo.add %q, %i : tensor<8xi32>
  return %r : tensor<8xi32>
}
