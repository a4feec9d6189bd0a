// pass: hlo-cse
// The second sum is the first; the difference is another op, and the product has other operands.
func.func @main(%x: tensor<3xf32>, %y: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %0 = stablehlo.add %x, %y : tensor<3xf32>
  %1 = stablehlo.add %x, %y : tensor<3xf32>
  %2 = stablehlo.multiply %0, %1 : tensor<3xf32>
  %3 = stablehlo.multiply %1, %x : tensor<3xf32>
  %4 = stablehlo.subtract %x, %y : tensor<3xf32>
  return %2, %3, %4 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}
