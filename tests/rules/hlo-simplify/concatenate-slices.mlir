// fires: f8E5M2 i8 ui16 f32 i64 bool complex
func.func @main(%x: tensor<3x9x$T>) -> tensor<2x11x$T> {
  %0 = stablehlo.slice %x [1:3, 2:5] : (tensor<3x9x$T>) -> tensor<2x3x$T>
  %1 = stablehlo.slice %x [1:3, 5:9] : (tensor<3x9x$T>) -> tensor<2x4x$T>
  %2 = stablehlo.concatenate %1, %0, %1, dim = 1 : (tensor<2x4x$T>, tensor<2x3x$T>, tensor<2x4x$T>) -> tensor<2x11x$T>
  return %2 : tensor<2x11x$T>
}
