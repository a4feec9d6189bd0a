// mutators: compare-direction compare-order select-branches maximum-by-compare sign-by-compare sign-dropped
func.func @main(%x: tensor<40xf32>, %y: tensor<40xf32>) -> (tensor<40xi1>, tensor<40xf32>, tensor<40xf32>, tensor<40xf32>, tensor<40xf32>, tensor<40xf32>) {
  %0 = stablehlo.compare LT, %x, %y : (tensor<40xf32>, tensor<40xf32>) -> tensor<40xi1>
  %1 = stablehlo.select %0, %x, %y : tensor<40xi1>, tensor<40xf32>
  %2 = stablehlo.maximum %x, %y : tensor<40xf32>
  %3 = stablehlo.sign %x : tensor<40xf32>
  %4 = stablehlo.negate %y : tensor<40xf32>
  %5 = stablehlo.abs %x : tensor<40xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<40xi1>, tensor<40xf32>, tensor<40xf32>, tensor<40xf32>, tensor<40xf32>, tensor<40xf32>
}
