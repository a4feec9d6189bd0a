// fires: f8E5M2 i8 ui16 f32 i64 bool complex
func.func @main(%x: tensor<3x$T>, %y: tensor<5x$T>) -> tensor<5x$T> {
  %0 = "stablehlo.tuple"(%x, %y) : (tensor<3x$T>, tensor<5x$T>) -> tuple<tensor<3x$T>, tensor<5x$T>>
  %1 = stablehlo.get_tuple_element %0[1] : (tuple<tensor<3x$T>, tensor<5x$T>>) -> tensor<5x$T>
  return %1 : tensor<5x$T>
}
