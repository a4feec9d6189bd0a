// pass: hlo-to-tpu
// A window larger than the number of its positions, as in the gradient of a kernel: one product for each position.
func.func @main(%x: tensor<2x9x4xf32>, %w: tensor<7x2x6xf32>) -> tensor<1x3x6xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [f, 0, b]x[0, i, o]->[b, 0, f],
    window = {pad = [[0, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x4xf32>, tensor<7x2x6xf32>) -> tensor<4x3x6xf32>
  %1 = stablehlo.slice %0 [0:1, 0:3, 0:6] : (tensor<4x3x6xf32>) -> tensor<1x3x6xf32>
  return %1 : tensor<1x3x6xf32>
}
