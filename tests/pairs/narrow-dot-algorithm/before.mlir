func.func @main(%x: tensor<3x4xf32>, %y: tensor<4x3xf32>) -> tensor<3x3xf32> {
  %r = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<3x4xf32>, tensor<4x3xf32>) -> tensor<3x3xf32>
  return %r : tensor<3x3xf32>
}
