// pass: hlo-fold-constants
// Chains of integers, comparisons, choices and movements become one constant; the op on an argument stays.
func.func @main(%x: tensor<2xf32>, %i: tensor<2xi32>) -> (tensor<2xf32>, tensor<2xi32>) {
  %a = stablehlo.constant dense<[1.5, -3.0]> : tensor<2xf32>
  %b = stablehlo.constant dense<2.0> : tensor<2xf32>
  %k = stablehlo.constant dense<[5, -6]> : tensor<2xi32>
  %0 = stablehlo.compare LT, %a, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  %1 = stablehlo.abs %a : tensor<2xf32>
  %2 = stablehlo.select %0, %1, %b : tensor<2xi1>, tensor<2xf32>
  %3 = stablehlo.reverse %2, dims = [0] : tensor<2xf32>
  %4 = stablehlo.multiply %x, %3 : tensor<2xf32>
  %5 = stablehlo.multiply %k, %k : tensor<2xi32>
  %6 = stablehlo.remainder %5, %k : tensor<2xi32>
  %7 = stablehlo.add %6, %i : tensor<2xi32>
  return %4, %7 : tensor<2xf32>, tensor<2xi32>
}
