// fires: f8E5M2 i8 ui16 f32 i64 bool complex
func.func @main(%x: tensor<2x3x$T>, %y: tensor<2x5x$T>, %z: tensor<2x4x$T>) -> (tensor<2x2x$T>, tensor<1x4x$T>) {
  %0 = stablehlo.concatenate %x, %y, %z, dim = 1 : (tensor<2x3x$T>, tensor<2x5x$T>, tensor<2x4x$T>) -> tensor<2x12x$T>
  %1 = stablehlo.slice %0 [0:2, 4:8:2] : (tensor<2x12x$T>) -> tensor<2x2x$T>
  %2 = stablehlo.slice %0 [1:2, 8:12] : (tensor<2x12x$T>) -> tensor<1x4x$T>
  return %1, %2 : tensor<2x2x$T>, tensor<1x4x$T>
}
