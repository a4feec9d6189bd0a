// pass: hlo-fuse
// A cheap producer of two kernels that cannot be one (their shapes differ) is computed in both.
func.func @main(%x: tensor<8x128xf32>, %y: tensor<128x8xf32>) -> (tensor<8x128xf32>, tensor<128x8xf32>) {
  %0 = stablehlo.negate %x : tensor<8x128xf32>
  %1 = stablehlo.abs %0 : tensor<8x128xf32>
  %2 = stablehlo.transpose %0, dims = [1, 0] : (tensor<8x128xf32>) -> tensor<128x8xf32>
  %3 = stablehlo.multiply %2, %y : tensor<128x8xf32>
  return %1, %3 : tensor<8x128xf32>, tensor<128x8xf32>
}
