// a transpose dropped around a dimension of size one
func.func @main(%x: tensor<3x1x2xf32>) -> tensor<1x6xf32> {
  %0 = stablehlo.transpose %x, dims = [1, 2, 0] : (tensor<3x1x2xf32>) -> tensor<1x2x3xf32>
  %r = stablehlo.reshape %0 : (tensor<1x2x3xf32>) -> tensor<1x6xf32>
  return %r : tensor<1x6xf32>
}
