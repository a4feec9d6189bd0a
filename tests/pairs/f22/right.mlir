// pair: --contract unknown --level full: Equal
func.func @main(%x: tensor<3x3x3xf32>, %y: tensor<3x4xf32>) -> tensor<3x3x4xf32> {
  %r = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0] : (tensor<3x3x3xf32>, tensor<3x4xf32>) -> tensor<3x3x4xf32>
  return %r : tensor<3x3x4xf32>
}
