// pass: hlo-split-wide --level full
// The high half decides with its sign, the low half without.
func.func @main(%a: tensor<6xi64>, %b: tensor<6xi64>) -> (tensor<6xi1>, tensor<6xi1>, tensor<6xi64>, tensor<6xi64>) {
  %0 = stablehlo.compare LT, %a, %b, SIGNED : (tensor<6xi64>, tensor<6xi64>) -> tensor<6xi1>
  %1 = stablehlo.compare NE, %a, %b, SIGNED : (tensor<6xi64>, tensor<6xi64>) -> tensor<6xi1>
  %2 = stablehlo.maximum %a, %b : tensor<6xi64>
  %3 = stablehlo.select %0, %a, %2 : tensor<6xi1>, tensor<6xi64>
  return %0, %1, %2, %3 : tensor<6xi1>, tensor<6xi1>, tensor<6xi64>, tensor<6xi64>
}
