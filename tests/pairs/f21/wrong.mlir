// pair: --contract unknown --level full: Miscompile
func.func @main(%x: tensor<3x3x3xf32>) -> tensor<3x3x3xf32> {
  %r = stablehlo.transpose %x, dims = [2, 1, 0] : (tensor<3x3x3xf32>) -> tensor<3x3x3xf32>
  return %r : tensor<3x3x3xf32>
}
