// fires: bf16 f16 f32
func.func @main(%a: tensor<2x3x3x$T>, %b: tensor<2x3x4x$T>) -> tensor<2x3x4x$T> {
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, unit_diagonal = true, transpose_a = #stablehlo<transpose TRANSPOSE>}> : (tensor<2x3x3x$T>, tensor<2x3x4x$T>) -> tensor<2x3x4x$T>
  return %0 : tensor<2x3x4x$T>
}
