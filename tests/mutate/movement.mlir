// mutators: slice-bounds pad-amounts pad-value broadcast-dimensions transpose-permutation reshape-order concatenate-order reverse-dimensions iota-dimension
func.func @main(%x: tensor<5x6xf32>, %y: tensor<4xf32>) -> (tensor<3x3x3xf32>, tensor<24xf32>, tensor<3x3xi32>) {
  %v = stablehlo.constant dense<1.0> : tensor<f32>
  %0 = stablehlo.slice %x [1:4, 0:5:2] : (tensor<5x6xf32>) -> tensor<3x3xf32>
  %1 = stablehlo.pad %0, %v, low = [1, 0], high = [0, 2], interior = [0, 0] : (tensor<3x3xf32>, tensor<f32>) -> tensor<4x5xf32>
  %2 = stablehlo.reshape %1 : (tensor<4x5xf32>) -> tensor<20xf32>
  %3 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<3x3xf32>) -> tensor<3x3x3xf32>
  %4 = stablehlo.transpose %3, dims = [1, 2, 0] : (tensor<3x3x3xf32>) -> tensor<3x3x3xf32>
  %5 = stablehlo.reverse %4, dims = [0, 2] : tensor<3x3x3xf32>
  %6 = stablehlo.concatenate %2, %y, dim = 0 : (tensor<20xf32>, tensor<4xf32>) -> tensor<24xf32>
  %7 = stablehlo.iota dim = 1 : tensor<3x3xi32>
  return %5, %6, %7 : tensor<3x3x3xf32>, tensor<24xf32>, tensor<3x3xi32>
}
