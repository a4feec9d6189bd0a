// fires: f8E5M2 i8 ui16 f32 i64 bool complex
func.func @main(%x: tensor<1x3x1x$T>) -> tensor<1x3x1x$T> {
  %0 = stablehlo.reverse %x, dims = [0, 2] : tensor<1x3x1x$T>
  return %0 : tensor<1x3x1x$T>
}
