// mutators: negative-zero-lost
func.func @main(%x: tensor<40xf32>) -> tensor<40xf32> {
  %0 = stablehlo.negate %x : tensor<40xf32>
  return %0 : tensor<40xf32>
}
