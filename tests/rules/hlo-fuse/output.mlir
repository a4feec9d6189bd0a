// fires: bf16 f16 f32 i8 i16 i32 ui8 ui16 ui32
func.func @main(%a: tensor<4x5x$T>, %b: tensor<5x6x$T>, %c: tensor<6x$T>) -> tensor<2x2x6x$T> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<4x5x$T>, tensor<5x6x$T>) -> tensor<4x6x$T>
  %1 = stablehlo.reshape %0 : (tensor<4x6x$T>) -> tensor<2x2x6x$T>
  %2 = stablehlo.broadcast_in_dim %c, dims = [2] : (tensor<6x$T>) -> tensor<2x2x6x$T>
  %3 = stablehlo.maximum %1, %2 : tensor<2x2x6x$T>
  return %3 : tensor<2x2x6x$T>
}
