// pass: hlo-simplify
// Choices that are known.
func.func @main(%p: tensor<7xi1>, %x: tensor<7xf32>, %y: tensor<7xf32>, %i: tensor<7xi32>) -> (tensor<7xf32>, tensor<7xf32>, tensor<7xi1>, tensor<7xi1>) {
  %true = stablehlo.constant dense<true> : tensor<7xi1>
  %false = stablehlo.constant dense<false> : tensor<7xi1>
  %highest = stablehlo.constant dense<2147483647> : tensor<7xi32>
  %not = stablehlo.not %p : tensor<7xi1>
  %0 = stablehlo.select %not, %x, %y : tensor<7xi1>, tensor<7xf32>
  %1 = stablehlo.select %p, %0, %x : tensor<7xi1>, tensor<7xf32>
  %2 = stablehlo.select %true, %1, %y : tensor<7xi1>, tensor<7xf32>
  %3 = stablehlo.minimum %x, %x : tensor<7xf32>
  %4 = stablehlo.select %p, %3, %x : tensor<7xi1>, tensor<7xf32>
  %5 = stablehlo.select %p, %true, %false : tensor<7xi1>, tensor<7xi1>
  %6 = stablehlo.compare EQ, %5, %true : (tensor<7xi1>, tensor<7xi1>) -> tensor<7xi1>
  %7 = stablehlo.minimum %i, %highest : tensor<7xi32>
  %8 = stablehlo.compare LE, %7, %i : (tensor<7xi32>, tensor<7xi32>) -> tensor<7xi1>
  return %2, %4, %6, %8 : tensor<7xf32>, tensor<7xf32>, tensor<7xi1>, tensor<7xi1>
}
