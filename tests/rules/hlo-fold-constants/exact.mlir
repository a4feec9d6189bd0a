// fires: floats
// never: complex
func.func @main() -> (tensor<2x$T>, tensor<2x$T>, tensor<3x$T>) {
  %a = stablehlo.constant dense<[{2}, {1}]> : tensor<2x$T>
  %b = stablehlo.constant dense<[{-1}, {2}]> : tensor<2x$T>
  %s = stablehlo.constant dense<{1}> : tensor<$T>
  %0 = stablehlo.maximum %a, %b : tensor<2x$T>
  %1 = stablehlo.negate %b : tensor<2x$T>
  %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<2x$T>, tensor<2x$T>) -> tensor<4x$T>
  %3 = stablehlo.slice %2 [1:4] : (tensor<4x$T>) -> tensor<3x$T>
  return %0, %1, %3 : tensor<2x$T>, tensor<2x$T>, tensor<3x$T>
}
