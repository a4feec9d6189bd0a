// pair: --contract unknown --level full: Miscompile
func.func @main(%x: tensor<6xf32>, %v: tensor<f32>) -> tensor<8xf32> {
  %r = stablehlo.broadcast_in_dim %v, dims = [] : (tensor<f32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}
