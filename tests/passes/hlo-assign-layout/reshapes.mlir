// pass: hlo-assign-layout
// Whole tiles join and split; rows of 12 are filled up to 16, so joining them moves elements.
func.func @main(%x: tensor<4x16x128xf32>, %y: tensor<4x12x128xf32>) -> (tensor<64x128xf32>, tensor<2x2x12x128xf32>, tensor<48x128xf32>) {
  %0 = stablehlo.reshape %x : (tensor<4x16x128xf32>) -> tensor<64x128xf32>
  %1 = stablehlo.reshape %y : (tensor<4x12x128xf32>) -> tensor<2x2x12x128xf32>
  %2 = stablehlo.reshape %y : (tensor<4x12x128xf32>) -> tensor<48x128xf32>
  return %0, %1, %2 : tensor<64x128xf32>, tensor<2x2x12x128xf32>, tensor<48x128xf32>
}
