// fires: i8 i16 i32 i64 ui8 ui32 bf16 f16 f32 f64
func.func @main(%x: tensor<6x5x$T>, %y: tensor<6x5x$T>) -> tensor<6x6x$T> {
  %0 = stablehlo.transpose %y, dims = [1, 0] : (tensor<6x5x$T>) -> tensor<5x6x$T>
  %1 = stablehlo.dot_general %x, %0, contracting_dims = [1] x [0] : (tensor<6x5x$T>, tensor<5x6x$T>) -> tensor<6x6x$T>
  return %1 : tensor<6x6x$T>
}
