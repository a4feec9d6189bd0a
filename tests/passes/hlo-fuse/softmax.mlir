// pass: hlo-fuse
// Results of reductions go back over their rows: one kernel that holds whole rows.
func.func @main(%x: tensor<64x100xf32>) -> tensor<64x100xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<64x100xf32>, tensor<f32>) -> tensor<64xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<64xf32>) -> tensor<64x1xf32>
  %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<64x1xf32>) -> tensor<64x100xf32>
  %3 = stablehlo.subtract %x, %2 : tensor<64x100xf32>
  %4 = stablehlo.exponential %3 : tensor<64x100xf32>
  %5 = stablehlo.reduce(%4 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<64x100xf32>, tensor<f32>) -> tensor<64xf32>
  %6 = stablehlo.broadcast_in_dim %5, dims = [0] : (tensor<64xf32>) -> tensor<64x100xf32>
  %7 = stablehlo.divide %4, %6 : tensor<64x100xf32>
  return %7 : tensor<64x100xf32>
}
