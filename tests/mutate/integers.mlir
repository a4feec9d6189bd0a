// mutators: zero-extension shift-kind shift-distance remainder-of-sum
func.func @main(%x: tensor<40xi8>, %y: tensor<40xi32>) -> (tensor<40xi32>, tensor<40xi32>) {
  %0 = stablehlo.convert %x : (tensor<40xi8>) -> tensor<40xi32>
  %k = stablehlo.constant dense<3> : tensor<40xi32>
  %m = stablehlo.constant dense<20> : tensor<40xi32>
  %1 = stablehlo.shift_right_arithmetic %0, %k : tensor<40xi32>
  %2 = stablehlo.multiply %1, %y : tensor<40xi32>
  %3 = stablehlo.add %2, %y : tensor<40xi32>
  %4 = stablehlo.remainder %3, %m : tensor<40xi32>
  return %1, %4 : tensor<40xi32>, tensor<40xi32>
}
