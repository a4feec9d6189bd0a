// pass: hlo-to-tpu,tpu-pipeline-windows
// One step: copies in, body, copy out, no loop.
func.func @main(%x: tensor<5x100xf32>, %y: tensor<5x100xf32>) -> tensor<5x100xf32> {
  %0 = stablehlo.add %x, %y : tensor<5x100xf32>
  return %0 : tensor<5x100xf32>
}
