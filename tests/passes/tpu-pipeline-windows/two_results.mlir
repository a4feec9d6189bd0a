// pass: hlo-to-tpu(block-bytes=4096),tpu-pipeline-windows
// Two results: a kernel each, as no fusion joined them; each has buffers and semaphores of its own.
func.func @main(%x: tensor<24x128xf32>) -> (tensor<24x128xf32>, tensor<24x128xi1>) {
  %z = stablehlo.constant dense<0.0> : tensor<24x128xf32>
  %0 = stablehlo.compare GT, %x, %z : (tensor<24x128xf32>, tensor<24x128xf32>) -> tensor<24x128xi1>
  %1 = stablehlo.select %0, %x, %z : tensor<24x128xi1>, tensor<24x128xf32>
  return %1, %0 : tensor<24x128xf32>, tensor<24x128xi1>
}
