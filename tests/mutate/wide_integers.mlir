// mutators: carry-lost
func.func @main(%x: tensor<40xui32>, %y: tensor<40xui32>, %a: tensor<40xi64>, %b: tensor<40xi64>) -> (tensor<40xui32>, tensor<40xi64>) {
  %0 = stablehlo.add %x, %y : tensor<40xui32>
  %1 = stablehlo.add %a, %b : tensor<40xi64>
  return %0, %1 : tensor<40xui32>, tensor<40xi64>
}
