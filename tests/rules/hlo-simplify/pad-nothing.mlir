// fires: f8E5M2 i8 ui16 f32 i64 bool complex
func.func @main(%x: tensor<3x4x$T>, %v: tensor<$T>) -> tensor<3x4x$T> {
  %0 = stablehlo.pad %x, %v, low = [0, 0], high = [0, 0], interior = [0, 0] : (tensor<3x4x$T>, tensor<$T>) -> tensor<3x4x$T>
  return %0 : tensor<3x4x$T>
}
