// a transpose folded into a dot with its permutation inverted
func.func @main(%x: tensor<3x3x3xf32>, %y: tensor<3x4xf32>) -> tensor<3x3x4xf32> {
  %t = stablehlo.transpose %x, dims = [1, 2, 0] : (tensor<3x3x3xf32>) -> tensor<3x3x3xf32>
  %r = stablehlo.dot_general %t, %y, contracting_dims = [2] x [0] : (tensor<3x3x3xf32>, tensor<3x4xf32>) -> tensor<3x3x4xf32>
  return %r : tensor<3x3x4xf32>
}
