// pass: hlo-to-tpu
// One product for each element of the window; padding is 0.
func.func @main(%x: tensor<2x6x5x3xf32>, %w: tensor<2x3x3x4xf32>) -> tensor<2x3x5x4xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
    window = {stride = [2, 1], pad = [[0, 0], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x6x5x3xf32>, tensor<2x3x3x4xf32>) -> tensor<2x3x5x4xf32>
  return %0 : tensor<2x3x5x4xf32>
}
