// fires: bf16 f16 f32 i8 i16 i32 ui8 ui16 ui32
// each: 0 2 7 100
func.func @main(%x: tensor<9x$T>, %u: tensor<4x$T>, %v: tensor<4x$T>) -> tensor<9x$T> {
  %i = stablehlo.constant dense<$I> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %0 = stablehlo.add %u, %v : tensor<4x$T>
  %1 = stablehlo.dynamic_update_slice %x, %0, %i : (tensor<9x$T>, tensor<4x$T>, tensor<i32>) -> tensor<9x$T>
  %2 = stablehlo.maximum %u, %v : tensor<4x$T>
  %3 = stablehlo.dynamic_update_slice %1, %2, %two : (tensor<9x$T>, tensor<4x$T>, tensor<i32>) -> tensor<9x$T>
  return %3 : tensor<9x$T>
}
