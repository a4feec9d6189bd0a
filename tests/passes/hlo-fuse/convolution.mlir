// pass: hlo-fuse
// A convolution and a residual connection.
func.func @main(%x: tensor<1x8x8x4xf32>, %k: tensor<3x3x4x4xf32>) -> tensor<1x8x8x4xf32> {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x4xf32>, tensor<3x3x4x4xf32>) -> tensor<1x8x8x4xf32>
  %1 = stablehlo.add %0, %x : tensor<1x8x8x4xf32>
  %2 = stablehlo.logistic %1 : tensor<1x8x8x4xf32>
  return %2 : tensor<1x8x8x4xf32>
}
