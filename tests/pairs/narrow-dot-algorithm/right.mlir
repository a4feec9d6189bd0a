// pair: --contract strict: Equal
func.func @main(%x: tensor<3x4xf32>, %y: tensor<4x3xf32>) -> tensor<3x3xf32> {
  %t = stablehlo.dot_general %y, %x, contracting_dims = [0] x [1] : (tensor<4x3xf32>, tensor<3x4xf32>) -> tensor<3x3xf32>
  %r = stablehlo.transpose %t, dims = [1, 0] : (tensor<3x3xf32>) -> tensor<3x3xf32>
  return %r : tensor<3x3xf32>
}
