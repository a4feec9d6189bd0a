// pass: hlo-fuse
// A dot takes in the elementwise ops on its result; a bias comes along. What makes its operands stays outside, but for conversions that widen.
func.func @main(%a: tensor<64x128xbf16>, %b: tensor<128x64xf32>, %bias: tensor<64xf32>) -> tensor<64x64xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<64x64xf32>
  %0 = stablehlo.convert %a : (tensor<64x128xbf16>) -> tensor<64x128xf32>
  %1 = stablehlo.tanh %b : tensor<128x64xf32>
  %2 = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0] : (tensor<64x128xf32>, tensor<128x64xf32>) -> tensor<64x64xf32>
  %3 = stablehlo.broadcast_in_dim %bias, dims = [1] : (tensor<64xf32>) -> tensor<64x64xf32>
  %4 = stablehlo.add %2, %3 : tensor<64x64xf32>
  %5 = stablehlo.maximum %4, %zero : tensor<64x64xf32>
  return %5 : tensor<64x64xf32>
}
