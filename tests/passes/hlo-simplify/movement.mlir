// pass: hlo-simplify
// Reshapes, broadcasts, transposes and reverses that undo or follow each other.
func.func @main(%x: tensor<3x4xf32>, %v: tensor<4xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>, tensor<4x2x3xf32>, tensor<1x4x1xf32>, tensor<2x4xf32>) {
  %0 = stablehlo.reshape %x : (tensor<3x4xf32>) -> tensor<12xf32>
  %1 = stablehlo.reshape %0 : (tensor<12xf32>) -> tensor<3x4xf32>
  %2 = stablehlo.transpose %x, dims = [1, 0] : (tensor<3x4xf32>) -> tensor<4x3xf32>
  %3 = stablehlo.reverse %2, dims = [0] : tensor<4x3xf32>
  %4 = stablehlo.reverse %3, dims = [0] : tensor<4x3xf32>
  %5 = stablehlo.transpose %4, dims = [1, 0] : (tensor<4x3xf32>) -> tensor<3x4xf32>
  %6 = stablehlo.broadcast_in_dim %x, dims = [1, 2] : (tensor<3x4xf32>) -> tensor<2x3x4xf32>
  %7 = stablehlo.transpose %6, dims = [2, 0, 1] : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  %8 = stablehlo.broadcast_in_dim %v, dims = [1] : (tensor<4xf32>) -> tensor<1x4xf32>
  %9 = stablehlo.reverse %8, dims = [0] : tensor<1x4xf32>
  %10 = stablehlo.reshape %9 : (tensor<1x4xf32>) -> tensor<1x1x4xf32>
  %11 = stablehlo.transpose %10, dims = [1, 2, 0] : (tensor<1x1x4xf32>) -> tensor<1x4x1xf32>
  %12 = stablehlo.broadcast_in_dim %v, dims = [0] : (tensor<4xf32>) -> tensor<4xf32>
  %13 = stablehlo.broadcast %12, sizes = [2] : (tensor<4xf32>) -> tensor<2x4xf32>
  return %1, %5, %7, %11, %13 : tensor<3x4xf32>, tensor<3x4xf32>, tensor<4x2x3xf32>, tensor<1x4x1xf32>, tensor<2x4xf32>
}
