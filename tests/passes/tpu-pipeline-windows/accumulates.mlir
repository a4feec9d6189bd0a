// pass: hlo-to-tpu(block-bytes=4096),tpu-pipeline-windows
// The output is one block for all steps: it leaves once, behind the loop.
func.func @main(%x: tensor<24x128xf32>) -> tensor<128xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<24x128xf32>, tensor<f32>) -> tensor<128xf32>
  return %0 : tensor<128xf32>
}
