// fires: i4 i8 i16 i32 i64 ui4 ui8 ui16 ui32 ui64
func.func @main() -> (tensor<2x$T>, tensor<2x$T>, tensor<2x$T>, tensor<2xi1>, tensor<$T>, tensor<3x$T>) {
  %a = stablehlo.constant dense<[{highest}, {1}]> : tensor<2x$T>
  %b = stablehlo.constant dense<[{lowest}, {2}]> : tensor<2x$T>
  %s = stablehlo.constant dense<{1}> : tensor<$T>
  %0 = stablehlo.add %a, %a : tensor<2x$T>
  %1 = stablehlo.divide %b, %a : tensor<2x$T>
  %2 = stablehlo.multiply %b, %b : tensor<2x$T>
  %3 = stablehlo.compare LT, %a, %b : (tensor<2x$T>, tensor<2x$T>) -> tensor<2xi1>
  %4 = stablehlo.subtract %s, %s : tensor<$T>
  %5 = stablehlo.pad %a, %s, low = [1], high = [0], interior = [0] : (tensor<2x$T>, tensor<$T>) -> tensor<3x$T>
  return %0, %1, %2, %3, %4, %5 : tensor<2x$T>, tensor<2x$T>, tensor<2x$T>, tensor<2xi1>, tensor<$T>, tensor<3x$T>
}
