// fires: f8E5M2 i8 ui16 f32 i64 bool complex
func.func @main(%x: tensor<3x5x$T>) -> tensor<3x5x$T> {
  %0 = stablehlo.reshape %x : (tensor<3x5x$T>) -> tensor<3x5x$T>
  return %0 : tensor<3x5x$T>
}
