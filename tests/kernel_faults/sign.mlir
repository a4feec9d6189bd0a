// block-bytes: 4096
// fault: f92 hlo-to-tpu nan-in-sign
func.func @main(%x: tensor<3x130xf32>) -> tensor<3x130xf32> {
  %0 = stablehlo.sign %x : tensor<3x130xf32>
  return %0 : tensor<3x130xf32>
}
