// pass: hlo-fuse
// Updates take in what makes them, and a chain of them keeps its one buffer.
func.func @main(%buffer: tensor<64x128xf32>, %u: tensor<8x128xf32>, %v: tensor<8x128xf32>, %i: tensor<i32>) -> tensor<64x128xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %eight = stablehlo.constant dense<8> : tensor<i32>
  %0 = stablehlo.negate %u : tensor<8x128xf32>
  %1 = stablehlo.dynamic_update_slice %buffer, %0, %i, %zero : (tensor<64x128xf32>, tensor<8x128xf32>, tensor<i32>, tensor<i32>) -> tensor<64x128xf32>
  %2 = stablehlo.add %i, %eight : tensor<i32>
  %3 = stablehlo.exponential %v : tensor<8x128xf32>
  %4 = stablehlo.dynamic_update_slice %1, %3, %2, %zero : (tensor<64x128xf32>, tensor<8x128xf32>, tensor<i32>, tensor<i32>) -> tensor<64x128xf32>
  return %4 : tensor<64x128xf32>
}
