// pass: hlo-fuse
// A chain of elementwise ops is one kernel; the constant is copied into it.
func.func @main(%x: tensor<8x128xf32>, %y: tensor<8x128xf32>) -> tensor<8x128xf32> {
  %two = stablehlo.constant dense<2.0> : tensor<8x128xf32>
  %0 = stablehlo.multiply %x, %two : tensor<8x128xf32>
  %1 = stablehlo.exponential %0 : tensor<8x128xf32>
  %2 = stablehlo.add %1, %y : tensor<8x128xf32>
  return %2 : tensor<8x128xf32>
}
