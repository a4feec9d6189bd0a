// pass: hlo-to-tpu,tpu-pipeline-windows,tpu-assign-vmem,tpu-apply-vector-layout --level full
// Maximum of 130 lanes: the two lanes of the second register stand beside -inf.
func.func @main(%x: tensor<8x130xf32>) -> tensor<8xf32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<8x130xf32>, tensor<f32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
