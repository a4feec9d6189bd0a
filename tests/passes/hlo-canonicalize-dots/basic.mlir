// pass: hlo-canonicalize-dots
// Two batching dimensions, two contracting ones, all out of place; precision stays.
func.func @main(%x: tensor<2x5x3x4x6xf32>, %y: tensor<3x6x7x5x4xf32>) -> tensor<3x4x2x7xf32> {
  %0 = stablehlo.dot_general %x, %y, batching_dims = [2, 3] x [0, 4], contracting_dims = [1, 4] x [3, 1], precision = [HIGHEST, HIGHEST] : (tensor<2x5x3x4x6xf32>, tensor<3x6x7x5x4xf32>) -> tensor<3x4x2x7xf32>
  return %0 : tensor<3x4x2x7xf32>
}
