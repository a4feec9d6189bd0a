// pass: hlo-to-tpu(block-bytes=4096),tpu-pipeline-windows,tpu-assign-vmem
// Four blocks in a loop: none may share space.
func.func @main(%x: tensor<16x128xf32>) -> tensor<16x128xf32> {
  %0 = stablehlo.negate %x : tensor<16x128xf32>
  return %0 : tensor<16x128xf32>
}
