// pass: hlo-to-tpu(block-bytes=4096)
// Numbers along a divided dimension start where the block does.
func.func @main(%x: tensor<20x140xi32>) -> tensor<20x140xi32> {
  %0 = stablehlo.iota dim = 0 : tensor<20x140xi32>
  %1 = stablehlo.iota dim = 1 : tensor<20x140xi32>
  %2 = stablehlo.add %0, %1 : tensor<20x140xi32>
  %3 = stablehlo.multiply %x, %2 : tensor<20x140xi32>
  return %3 : tensor<20x140xi32>
}
