// fires: f8E5M2 i8 ui16 f32 i64 bool complex
func.func @main(%x: tensor<2x3x$T>) -> tensor<4x1x2x3x$T> {
  %0 = "stablehlo.broadcast"(%x) {broadcast_sizes = array<i64: 4, 1>} : (tensor<2x3x$T>) -> tensor<4x1x2x3x$T>
  return %0 : tensor<4x1x2x3x$T>
}
