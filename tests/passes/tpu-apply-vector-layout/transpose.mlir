// pass: hlo-to-tpu,tpu-pipeline-windows,tpu-assign-vmem,tpu-apply-vector-layout
// Rows and columns are exchanged in a block of 128 x 128.
func.func @main(%x: tensor<8x24xf32>) -> tensor<24x8xf32> {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<8x24xf32>) -> tensor<24x8xf32>
  return %0 : tensor<24x8xf32>
}
