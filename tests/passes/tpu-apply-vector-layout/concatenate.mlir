// pass: hlo-to-tpu,tpu-pipeline-windows,tpu-assign-vmem,tpu-apply-vector-layout
// The second part begins in the middle of a register: rotated, and selected by lane.
func.func @main(%x: tensor<8x100xf32>, %y: tensor<8x60xf32>) -> tensor<8x160xf32> {
  %0 = stablehlo.concatenate %x, %y, dim = 1 : (tensor<8x100xf32>, tensor<8x60xf32>) -> tensor<8x160xf32>
  return %0 : tensor<8x160xf32>
}
