// block-bytes: 4096
// fault: f71 hlo-to-tpu padding-value
// fault: f61 hlo-to-tpu window-constant
// fault: f61 hlo-to-tpu combining-kind
// fault: f57 hlo-to-tpu mask-limit
func.func @main(%x: tensor<5x300xf32>) -> tensor<5xf32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<5x300xf32>, tensor<f32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}
