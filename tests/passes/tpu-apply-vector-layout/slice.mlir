// pass: hlo-to-tpu,tpu-pipeline-windows,tpu-assign-vmem,tpu-apply-vector-layout
// An offset of 3 lanes is a rotation of each register and a select between two.
func.func @main(%x: tensor<8x256xf32>) -> tensor<8x128xf32> {
  %0 = stablehlo.slice %x [0:8, 3:131] : (tensor<8x256xf32>) -> tensor<8x128xf32>
  return %0 : tensor<8x128xf32>
}
