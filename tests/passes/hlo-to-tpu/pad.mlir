// pass: hlo-to-tpu(block-bytes=8192)
// Cut off below, added above and between: each element is placed or is the padding value.
func.func @main(%a: tensor<12x50xf32>, %z: tensor<f32>) -> tensor<30x50xf32> {
  %0 = stablehlo.pad %a, %z, low = [-1, 0], high = [9, 0], interior = [1, 0] : (tensor<12x50xf32>, tensor<f32>) -> tensor<31x50xf32>
  %1 = stablehlo.slice %0 [1:31, 0:50] : (tensor<31x50xf32>) -> tensor<30x50xf32>
  return %1 : tensor<30x50xf32>
}
