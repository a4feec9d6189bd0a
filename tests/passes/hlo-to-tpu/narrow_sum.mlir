// pass: hlo-to-tpu(block-bytes=4096)
// A sum of bf16 runs in f32, block by block, and is rounded once.
func.func @main(%x: tensor<40x130xbf16>) -> tensor<130xbf16> {
  %z = stablehlo.constant dense<0.0> : tensor<bf16>
  %0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0] : (tensor<40x130xbf16>, tensor<bf16>) -> tensor<130xbf16>
  return %0 : tensor<130xbf16>
}
