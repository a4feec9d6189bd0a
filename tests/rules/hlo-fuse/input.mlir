// fires: bf16 f16 f32 i8 i16 i32 ui8 ui16 ui32
func.func @main(%x: tensor<9x7x$T>, %y: tensor<9x7x$T>) -> tensor<9x$T> {
  %zero = stablehlo.constant dense<{0}> : tensor<$T>
  %0 = stablehlo.multiply %x, %y : tensor<9x7x$T>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<9x7x$T>, tensor<$T>) -> tensor<9x$T>
  %2 = stablehlo.subtract %1, %1 : tensor<9x$T>
  return %2 : tensor<9x$T>
}
