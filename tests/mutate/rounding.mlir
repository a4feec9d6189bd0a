// mutators: rounding-mode convert-pair-removed convert-truncates
func.func @main(%x: tensor<40xf32>) -> (tensor<40xf32>, tensor<40xf32>, tensor<40xf32>, tensor<40xi32>) {
  %0 = stablehlo.round_nearest_even %x : tensor<40xf32>
  %1 = stablehlo.floor %x : tensor<40xf32>
  %2 = stablehlo.convert %x : (tensor<40xf32>) -> tensor<40xbf16>
  %3 = stablehlo.convert %2 : (tensor<40xbf16>) -> tensor<40xf32>
  %4 = stablehlo.convert %x : (tensor<40xf32>) -> tensor<40xi32>
  return %0, %1, %3, %4 : tensor<40xf32>, tensor<40xf32>, tensor<40xf32>, tensor<40xi32>
}
