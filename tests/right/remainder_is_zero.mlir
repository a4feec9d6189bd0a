// The remainder of an i64 by a small number fits its low word; for small numbers the other word is what both sides have.
func.func @main(%a: tensor<9xi64>) -> tensor<9xi1> {
  %by = stablehlo.constant dense<13> : tensor<9xi64>
  %rest = stablehlo.remainder %a, %by : tensor<9xi64>
  %zero = stablehlo.constant dense<0> : tensor<9xi64>
  %r = stablehlo.compare NE, %rest, %zero, SIGNED : (tensor<9xi64>, tensor<9xi64>) -> tensor<9xi1>
  return %r : tensor<9xi1>
}
