// block-bytes: 4096
// fault: f76 tpu-pipeline-windows copy-whole-block
// fault: f72 tpu-pipeline-windows wait-dropped
// fault: f72 tpu-pipeline-windows wait-late
// fault: f80 hlo-to-tpu narrowing-truncates
// fault: f80 tpu-apply-vector-layout narrowing-truncates
// fault: f78 tpu-pipeline-windows wait-in-elements
func.func @main(%x: tensor<37x130xf32>) -> tensor<37x130xbf16> {
  %0 = stablehlo.negate %x : tensor<37x130xf32>
  %1 = stablehlo.convert %0 : (tensor<37x130xf32>) -> tensor<37x130xbf16>
  return %1 : tensor<37x130xbf16>
}
