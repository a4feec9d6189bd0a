// fires: floats i4 i8 i16 i32 i64 unsigned bool complex
func.func @main() -> tensor<3x$T> {
  %c = stablehlo.constant dense<{1}> : tensor<$T>
  %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<$T>) -> tensor<2x3x$T>
  %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<2x3x$T>) -> tensor<3x2x$T>
  %2 = stablehlo.reshape %1 : (tensor<3x2x$T>) -> tensor<6x$T>
  %3 = stablehlo.slice %2 [1:6:2] : (tensor<6x$T>) -> tensor<3x$T>
  %4 = stablehlo.reverse %3, dims = [0] : tensor<3x$T>
  return %4 : tensor<3x$T>
}
