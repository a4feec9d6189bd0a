// pass: hlo-to-tpu(block-bytes=8192)
// A fusion on blocks: the last block goes beyond the end in both dimensions.
func.func @main(%a: tensor<20x200xf32>, %b: tensor<200xf32>) -> tensor<20x200xf32> {
  %0 = hlo.fusion %a, %b {kind = "kLoop"} : (tensor<20x200xf32>, tensor<200xf32>) -> tensor<20x200xf32> {
  ^bb0(%x: tensor<20x200xf32>, %y: tensor<200xf32>):
    %1 = hlo.broadcast_in_dim %y {broadcast_dimensions = array<i64: 1>} : (tensor<200xf32>) -> tensor<20x200xf32>
    %2 = hlo.multiply %x, %1 : tensor<20x200xf32>
    %3 = hlo.tanh %2 : tensor<20x200xf32>
    hlo.return %3 : tensor<20x200xf32>
  }
  return %0 : tensor<20x200xf32>
}
