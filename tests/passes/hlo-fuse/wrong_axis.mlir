// pass: hlo-fuse
// Row sums broadcast over the other axis of a square matrix: every row needs the sums of all rows, which no row kernel has.
func.func @main(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<64x64xf32>, tensor<f32>) -> tensor<64xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [1] : (tensor<64xf32>) -> tensor<64x64xf32>
  %2 = stablehlo.subtract %x, %1 : tensor<64x64xf32>
  return %2 : tensor<64x64xf32>
}
