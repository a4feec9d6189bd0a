// fires: f8E5M2 i8 ui16 f32 i64 bool complex
func.func @main(%x: tensor<2x3x4x$T>) -> (tensor<2x3x4x$T>, tensor<2x3x4x$T>) {
  %0 = stablehlo.reverse %x, dims = [0, 2] : tensor<2x3x4x$T>
  %1 = stablehlo.reverse %0, dims = [1, 2] : tensor<2x3x4x$T>
  %2 = stablehlo.reverse %0, dims = [2, 0] : tensor<2x3x4x$T>
  return %1, %2 : tensor<2x3x4x$T>, tensor<2x3x4x$T>
}
