// pass: hlo-to-tpu
// A factor column by column, a system row by row. What is above the diagonal is not read.
func.func @main(%a: tensor<4x4xf32>, %b: tensor<3x4xf32>) -> (tensor<4x4xf32>, tensor<3x4xf32>) {
  %t = stablehlo.transpose %a, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %s = stablehlo.dot_general %a, %t, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %0 = stablehlo.cholesky %s, lower = true : tensor<4x4xf32>
  %1 = "stablehlo.triangular_solve"(%0, %b) <{left_side = false, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<4x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  return %0, %1 : tensor<4x4xf32>, tensor<3x4xf32>
}
