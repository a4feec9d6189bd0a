// pass: hlo-to-tpu(block-bytes=4096),tpu-pipeline-windows
// Two blocks: the second is on its way while the first is worked on; both are waited for, in and out.
func.func @main(%x: tensor<16x128xf32>) -> tensor<16x128xf32> {
  %0 = stablehlo.negate %x : tensor<16x128xf32>
  return %0 : tensor<16x128xf32>
}
