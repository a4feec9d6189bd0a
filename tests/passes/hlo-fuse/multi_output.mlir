// pass: hlo-fuse
// A producer that is also returned becomes a second result; siblings that read the same values share a kernel.
func.func @main(%x: tensor<8x128xf32>, %y: tensor<8x128xf32>) -> (tensor<8x128xf32>, tensor<8x128xf32>, tensor<8x128xf32>) {
  %0 = stablehlo.add %x, %y : tensor<8x128xf32>
  %1 = stablehlo.tanh %0 : tensor<8x128xf32>
  %2 = stablehlo.maximum %x, %y : tensor<8x128xf32>
  return %0, %1, %2 : tensor<8x128xf32>, tensor<8x128xf32>, tensor<8x128xf32>
}
