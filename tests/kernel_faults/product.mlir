// block-bytes: 8192
// fault: f61 hlo-to-tpu accumulation-dropped
// fault: f61 hlo-to-tpu window-constant
// fault: f82 hlo-to-tpu accumulate-in-bf16
// fault: f83 hlo-to-tpu product-in-bf16
// fault: f45 hlo-to-tpu accumulation-doubled
// fault: f72 tpu-pipeline-windows wait-dropped
// fault: f82 tpu-apply-vector-layout accumulate-in-bf16
// fault: f78 tpu-pipeline-windows wait-in-elements
func.func @main(%x: tensor<24x260xf32>, %y: tensor<260x130xf32>) -> tensor<24x130xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<24x260xf32>, tensor<260x130xf32>) -> tensor<24x130xf32>
  return %0 : tensor<24x130xf32>
}
