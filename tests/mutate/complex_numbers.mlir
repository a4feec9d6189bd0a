// mutators: complex-magnitude
func.func @main(%x: tensor<40xcomplex<f32>>) -> tensor<40xf32> {
  %0 = stablehlo.abs %x : (tensor<40xcomplex<f32>>) -> tensor<40xf32>
  return %0 : tensor<40xf32>
}
