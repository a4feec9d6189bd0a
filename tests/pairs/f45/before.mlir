// a producer with an in-place write run twice
func.func @main(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<2xf32>) {
  %c = stablehlo.constant dense<3.0> : tensor<8xf32>
  %p = stablehlo.multiply %x, %c : tensor<8xf32>
  %d = stablehlo.slice %p [0:2] : (tensor<8xf32>) -> tensor<2xf32>
  return %p, %d : tensor<8xf32>, tensor<2xf32>
}
