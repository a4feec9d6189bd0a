// pass: hlo-fuse
// The rows of a dot's result are counted by two dimensions before the bias is added: still the same rows.
func.func @main(%a: tensor<8x128xf32>, %b: tensor<128x64xf32>, %bias: tensor<64xf32>) -> tensor<2x4x64xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x128xf32>, tensor<128x64xf32>) -> tensor<8x64xf32>
  %1 = stablehlo.reshape %0 : (tensor<8x64xf32>) -> tensor<2x4x64xf32>
  %2 = stablehlo.broadcast_in_dim %bias, dims = [2] : (tensor<64xf32>) -> tensor<2x4x64xf32>
  %3 = stablehlo.add %1, %2 : tensor<2x4x64xf32>
  return %3 : tensor<2x4x64xf32>
}
