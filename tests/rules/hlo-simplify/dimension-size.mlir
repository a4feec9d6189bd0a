// fires: f8E5M2 i8 ui16 f32 i64 bool complex
func.func @main(%x: tensor<3x7x$T>) -> tensor<i32> {
  %0 = stablehlo.get_dimension_size %x, dim = 1 : (tensor<3x7x$T>) -> tensor<i32>
  return %0 : tensor<i32>
}
