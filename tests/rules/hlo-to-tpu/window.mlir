// fires: bf16 f16 f32 i8 i16 i32 ui8 ui16 ui32
func.func @main(%x: tensor<6x7x$T>) -> tensor<2x7x$T> {
  %z = stablehlo.constant dense<{0}> : tensor<$T>
  %0 = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 3, 5>, window_strides = array<i64: 2, 1>, padding = dense<[[0, 0], [2, 2]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<$T>, %b: tensor<$T>):
    %1 = stablehlo.add %a, %b : tensor<$T>
    stablehlo.return %1 : tensor<$T>
  }) : (tensor<6x7x$T>, tensor<$T>) -> tensor<2x7x$T>
  return %0 : tensor<2x7x$T>
}
