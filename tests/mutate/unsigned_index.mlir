// mutators: index-sign
func.func @main(%x: tensor<300xf32>, %i: tensor<ui8>) -> tensor<2xf32> {
  %0 = stablehlo.dynamic_slice %x, %i, sizes = [2] : (tensor<300xf32>, tensor<ui8>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
