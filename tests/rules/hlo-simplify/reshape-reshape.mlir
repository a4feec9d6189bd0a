// fires: f8E5M2 i8 ui16 f32 i64 bool complex
func.func @main(%x: tensor<3x4x$T>) -> tensor<4x1x3x$T> {
  %0 = stablehlo.reshape %x : (tensor<3x4x$T>) -> tensor<2x6x$T>
  %1 = stablehlo.reshape %0 : (tensor<2x6x$T>) -> tensor<4x1x3x$T>
  return %1 : tensor<4x1x3x$T>
}
