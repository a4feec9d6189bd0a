// fires: i8 i16 i32 i64 ui8 ui32 bf16 f16 f32 f64
func.func @main(%x: tensor<3x2x4x5x$T>, %y: tensor<5x6x2x3x$T>) -> tensor<2x4x6x$T> {
  %0 = stablehlo.dot_general %x, %y, batching_dims = [1] x [2], contracting_dims = [3, 0] x [0, 3] : (tensor<3x2x4x5x$T>, tensor<5x6x2x3x$T>) -> tensor<2x4x6x$T>
  return %0 : tensor<2x4x6x$T>
}
