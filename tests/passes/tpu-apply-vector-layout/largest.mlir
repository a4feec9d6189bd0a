// pass: hlo-to-tpu,tpu-pipeline-windows,tpu-assign-vmem,tpu-apply-vector-layout --level full
// A maximum along lanes: behind the end stand -inf, and every lane of the register gets the result.
func.func @main(%x: tensor<5x140xf32>) -> tensor<5xf32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<5x140xf32>, tensor<f32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}
