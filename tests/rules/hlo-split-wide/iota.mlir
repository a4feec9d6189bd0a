// fires: i64 ui64
// never: i32 f64 complex
func.func @main(%y: tensor<3x5x$T>) -> tensor<3x5x$T> {
  %0 = stablehlo.iota dim = 1 : tensor<3x5x$T>
  return %0 : tensor<3x5x$T>
}
