// block-bytes: 4096
// fault: f71 tpu-assign-vmem allocation-moved
// fault: f71 tpu-assign-vmem allocation-overlap
func.func @main(%x: tensor<5x130xf32>, %y: tensor<5x130xf32>) -> tensor<5x130xf32> {
  %0 = stablehlo.subtract %x, %y : tensor<5x130xf32>
  return %0 : tensor<5x130xf32>
}
