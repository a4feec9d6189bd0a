// pair: --contract unknown --level full: Miscompile
func.func @main(%m: tensor<2x4x1xi1>, %x: tensor<2x4x8xf32>) -> tensor<2x4x8xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<2x4x8xf32>
  %q = stablehlo.reshape %m : (tensor<2x4x1xi1>) -> tensor<8xi1>
  %p = stablehlo.broadcast_in_dim %q, dims = [2] : (tensor<8xi1>) -> tensor<2x4x8xi1>
  %r = stablehlo.select %p, %z, %x : tensor<2x4x8xi1>, tensor<2x4x8xf32>
  return %r : tensor<2x4x8xf32>
}
