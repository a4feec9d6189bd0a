// fires: f8E5M2 i8 ui16 f32 i64 bool complex
func.func @main(%x: tensor<2x1x3x1x$T>) -> tensor<1x2x3x1x$T> {
  %0 = stablehlo.transpose %x, dims = [3, 0, 2, 1] : (tensor<2x1x3x1x$T>) -> tensor<1x2x3x1x$T>
  return %0 : tensor<1x2x3x1x$T>
}
