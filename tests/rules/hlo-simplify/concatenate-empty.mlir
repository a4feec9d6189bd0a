// fires: f8E5M2 i8 ui16 f32 i64 bool complex
func.func @main(%x: tensor<2x3x$T>, %y: tensor<2x5x$T>, %e: tensor<2x0x$T>) -> tensor<2x8x$T> {
  %0 = stablehlo.concatenate %e, %x, %e, %y, dim = 1 : (tensor<2x0x$T>, tensor<2x3x$T>, tensor<2x0x$T>, tensor<2x5x$T>) -> tensor<2x8x$T>
  return %0 : tensor<2x8x$T>
}
