// mutators: swap-operands other-operand drop-operation wrong-attribute applied-twice tail-stale cancelled-sum reciprocal quotients-joined
func.func @main(%x: tensor<3x3xf32>, %y: tensor<3x3xf32>) -> tensor<3x3xf32> {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<3x3xf32>) -> tensor<3x3xf32>
  %1 = stablehlo.add %0, %y : tensor<3x3xf32>
  %2 = stablehlo.subtract %1, %0 : tensor<3x3xf32>
  %3 = stablehlo.divide %2, %y : tensor<3x3xf32>
  %4 = stablehlo.divide %3, %x : tensor<3x3xf32>
  return %4 : tensor<3x3xf32>
}
