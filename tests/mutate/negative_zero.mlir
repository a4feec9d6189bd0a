// mutators: negative-zero-lost
func.func @main(%x: tensor<40xf32>) -> (tensor<40xf32>, tensor<40xf32>) {
  %z = stablehlo.constant dense<0.0> : tensor<40xf32>
  %0 = stablehlo.add %z, %x : tensor<40xf32>
  %1 = stablehlo.subtract %z, %x : tensor<40xf32>
  return %0, %1 : tensor<40xf32>, tensor<40xf32>
}
