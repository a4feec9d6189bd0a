// two transposes composed in the wrong order
func.func @main(%x: tensor<3x3x3xf32>) -> tensor<3x3x3xf32> {
  %0 = stablehlo.transpose %x, dims = [1, 2, 0] : (tensor<3x3x3xf32>) -> tensor<3x3x3xf32>
  %r = stablehlo.transpose %0, dims = [0, 2, 1] : (tensor<3x3x3xf32>) -> tensor<3x3x3xf32>
  return %r : tensor<3x3x3xf32>
}
