// fires: wide signed unsigned
// never: f8E5M2 complex
func.func @main() -> tensor<4x1x3x$T> {
  %0 = stablehlo.iota dim = 1 : tensor<4x1x3x$T>
  return %0 : tensor<4x1x3x$T>
}
