// pass: hlo-split-wide --level full
// A sum with a carry. The second op takes the halves of the first.
func.func @main(%a: tensor<4xi64>, %b: tensor<4xi64>) -> tensor<4xi64> {
  %0 = stablehlo.add %a, %b : tensor<4xi64>
  %1 = stablehlo.subtract %0, %b : tensor<4xi64>
  %2 = stablehlo.negate %1 : tensor<4xi64>
  return %2 : tensor<4xi64>
}
