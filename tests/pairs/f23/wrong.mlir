// pair: --contract unknown --level full: Miscompile
func.func @main(%x: tensor<4xf32>) -> tensor<4x4xf32> {
  %r = stablehlo.broadcast_in_dim %x, dims = [0] : (tensor<4xf32>) -> tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}
