// pass: hlo-assign-layout
// The matrix unit reads a transposed operand as it lies, square or not. A batch dimension that is not first is moved.
func.func @main(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>, %c: tensor<16x4x64xf32>, %d: tensor<4x64x8xf32>) -> (tensor<64x64xf32>, tensor<4x16x8xf32>) {
  %0 = stablehlo.transpose %b, dims = [1, 0] : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = stablehlo.dot_general %a, %0, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %2 = stablehlo.transpose %c, dims = [1, 0, 2] : (tensor<16x4x64xf32>) -> tensor<4x16x64xf32>
  %3 = stablehlo.dot_general %2, %d, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<4x16x64xf32>, tensor<4x64x8xf32>) -> tensor<4x16x8xf32>
  return %1, %3 : tensor<64x64xf32>, tensor<4x16x8xf32>
}
