// pass: hlo-to-tpu,tpu-pipeline-windows,tpu-assign-vmem,tpu-apply-vector-layout --level full
// Two registers; the lanes behind the last are masked in loads and stores.
func.func @main(%x: tensor<16x100xf32>, %y: tensor<16x100xf32>) -> tensor<16x100xf32> {
  %0 = stablehlo.maximum %x, %y : tensor<16x100xf32>
  return %0 : tensor<16x100xf32>
}
