// pair: --contract unknown --level full: Miscompile
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %h = stablehlo.slice %x [0:1] : (tensor<8xf32>) -> tensor<1xf32>
  %r = stablehlo.broadcast_in_dim %h, dims = [0] : (tensor<1xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}
