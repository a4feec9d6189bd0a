// pass: hlo-fuse --level full
// The rounding to bf16 between fused ops stays: the maximum of rounded quotients is one of them (x / 3 == max(x / 3)).
func.func @main(%x: tensor<64xbf16>) -> (tensor<64xi1>, tensor<bf16>) {
  %low = stablehlo.constant dense<0xFF80> : tensor<bf16>
  %three = stablehlo.constant dense<3.0> : tensor<64xbf16>
  %0 = stablehlo.divide %x, %three : tensor<64xbf16>
  %1 = stablehlo.reduce(%0 init: %low) applies stablehlo.maximum across dimensions = [0] : (tensor<64xbf16>, tensor<bf16>) -> tensor<bf16>
  %2 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<bf16>) -> tensor<64xbf16>
  %3 = stablehlo.compare EQ, %0, %2 : (tensor<64xbf16>, tensor<64xbf16>) -> tensor<64xi1>
  return %3, %1 : tensor<64xi1>, tensor<bf16>
}
