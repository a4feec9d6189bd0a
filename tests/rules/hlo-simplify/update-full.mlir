// fires: f8E5M2 i8 ui16 f32 i64 bool complex
func.func @main(%x: tensor<3x4x$T>, %u: tensor<3x4x$T>, %i: tensor<i32>) -> tensor<3x4x$T> {
  %0 = stablehlo.dynamic_update_slice %x, %u, %i, %i : (tensor<3x4x$T>, tensor<3x4x$T>, tensor<i32>, tensor<i32>) -> tensor<3x4x$T>
  return %0 : tensor<3x4x$T>
}
