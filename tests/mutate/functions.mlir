// mutators: exponentials-joined square-root-of-square log-of-power
func.func @main(%x: tensor<40xf32>, %y: tensor<40xf32>, %z: tensor<40xf32>) -> (tensor<40xf32>, tensor<40xf32>, tensor<40xf32>) {
  %0 = stablehlo.exponential %x : tensor<40xf32>
  %1 = stablehlo.exponential %y : tensor<40xf32>
  %2 = stablehlo.multiply %0, %1 : tensor<40xf32>
  %3 = stablehlo.multiply %y, %y : tensor<40xf32>
  %4 = stablehlo.sqrt %3 : tensor<40xf32>
  %5 = stablehlo.power %z, %y : tensor<40xf32>
  %6 = stablehlo.log %5 : tensor<40xf32>
  return %2, %4, %6 : tensor<40xf32>, tensor<40xf32>, tensor<40xf32>
}
