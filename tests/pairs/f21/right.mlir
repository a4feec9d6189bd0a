// pair: --contract unknown --level full: Equal
func.func @main(%x: tensor<3x3x3xf32>) -> tensor<3x3x3xf32> {
  %r = stablehlo.transpose %x, dims = [1, 0, 2] : (tensor<3x3x3xf32>) -> tensor<3x3x3xf32>
  return %r : tensor<3x3x3xf32>
}
