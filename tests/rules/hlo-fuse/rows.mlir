// fires: bf16 f16 f32 i8 i16 i32 ui8 ui16 ui32
func.func @main(%x: tensor<7x7x$T>, %y: tensor<7x7x$T>) -> tensor<7x7x$T> {
  %low = stablehlo.constant dense<{0}> : tensor<$T>
  %0 = stablehlo.add %x, %y : tensor<7x7x$T>
  %1 = stablehlo.reduce(%0 init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<7x7x$T>, tensor<$T>) -> tensor<7x$T>
  %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<7x$T>) -> tensor<7x7x$T>
  %3 = stablehlo.subtract %0, %2 : tensor<7x7x$T>
  return %3 : tensor<7x7x$T>
}
