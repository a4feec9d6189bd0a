// block-bytes: 4096
// fault: f57 hlo-to-tpu mask-limit
// fault: f57 hlo-to-tpu grid-tail
// fault: f71 hlo-to-tpu mask-dropped
// fault: f71 hlo-to-tpu padding-value
// fault: f71 hlo-to-tpu accumulator-stale
// fault: f82 hlo-to-tpu accumulate-in-bf16
// fault: f72 tpu-pipeline-windows wait-dropped
// fault: f76 tpu-pipeline-windows copy-whole-block
// fault: f71 tpu-assign-vmem allocation-overlap
// fault: f61 hlo-to-tpu accumulation-dropped
// fault: f61 hlo-to-tpu accumulator-reset
// fault: f72 tpu-pipeline-windows wait-late
// fault: f72 tpu-pipeline-windows write-back-skipped
// fault: f78 tpu-pipeline-windows wait-in-elements
// fault: f71 tpu-apply-vector-layout mask-limit
func.func @main(%x: tensor<37x500xf32>) -> tensor<500xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0] : (tensor<37x500xf32>, tensor<f32>) -> tensor<500xf32>
  return %0 : tensor<500xf32>
}
