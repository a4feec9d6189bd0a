// pass: hlo-assign-layout
// A transpose is another order of the same bytes; the caller wants rows, so a copy follows. Moving whole tiles needs none.
func.func @main(%x: tensor<64x128xf32>, %y: tensor<4x8x128xf32>) -> (tensor<128x64xf32>, tensor<8x128xf32>) {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<64x128xf32>) -> tensor<128x64xf32>
  %1 = stablehlo.transpose %y, dims = [1, 0, 2] : (tensor<4x8x128xf32>) -> tensor<8x4x128xf32>
  %2 = stablehlo.slice %1 [0:8, 0:1, 0:128] : (tensor<8x4x128xf32>) -> tensor<8x1x128xf32>
  %3 = stablehlo.reshape %2 : (tensor<8x1x128xf32>) -> tensor<8x128xf32>
  return %0, %3 : tensor<128x64xf32>, tensor<8x128xf32>
}
