// fires: f8E5M2 i8 ui16 f32 i64 bool complex
func.func @main(%x: tensor<2x3x$T>) -> tensor<4x2x3x$T> {
  %0 = stablehlo.broadcast_in_dim %x, dims = [2, 0] : (tensor<2x3x$T>) -> tensor<3x4x2x$T>
  %1 = stablehlo.transpose %0, dims = [1, 2, 0] : (tensor<3x4x2x$T>) -> tensor<4x2x3x$T>
  return %1 : tensor<4x2x3x$T>
}
