// fires: f8E5M2 i8 ui16 f32 i64 bool complex
func.func @main(%x: tensor<2x3x$T>, %y: tensor<2x5x$T>) -> tensor<2x13x$T> {
  %0 = stablehlo.concatenate %x, %y, dim = 1 : (tensor<2x3x$T>, tensor<2x5x$T>) -> tensor<2x8x$T>
  %1 = stablehlo.concatenate %y, %0, dim = 1 : (tensor<2x5x$T>, tensor<2x8x$T>) -> tensor<2x13x$T>
  return %1 : tensor<2x13x$T>
}
