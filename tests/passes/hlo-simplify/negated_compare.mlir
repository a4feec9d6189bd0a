// pass: hlo-simplify --level full
// not(x < y) is x >= y for integers, not for floats, where NaN is neither; not(x == y) is x != y for both.
func.func @main(%x: tensor<9xi32>, %y: tensor<9xi32>, %f: tensor<9xf32>, %g: tensor<9xf32>) -> (tensor<9xi1>, tensor<9xi1>, tensor<9xi1>) {
  %0 = stablehlo.compare LT, %x, %y : (tensor<9xi32>, tensor<9xi32>) -> tensor<9xi1>
  %1 = stablehlo.not %0 : tensor<9xi1>
  %2 = stablehlo.compare LT, %f, %g : (tensor<9xf32>, tensor<9xf32>) -> tensor<9xi1>
  %3 = stablehlo.not %2 : tensor<9xi1>
  %4 = stablehlo.compare EQ, %f, %g : (tensor<9xf32>, tensor<9xf32>) -> tensor<9xi1>
  %5 = stablehlo.not %4 : tensor<9xi1>
  return %1, %3, %5 : tensor<9xi1>, tensor<9xi1>, tensor<9xi1>
}
