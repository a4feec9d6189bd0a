// pass: hlo-assign-layout
// An update takes the buffer of an operand that nothing uses again: not a parameter that the caller keeps (%b), not one that is read later (%0).
func.func @main(%b: tensor<64xf32>, %donated: tensor<64xf32> {tf.aliasing_output = 0 : i32}, %u: tensor<8xf32>, %i: tensor<i32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) {
  %0 = stablehlo.negate %b : tensor<64xf32>
  %1 = stablehlo.dynamic_update_slice %donated, %u, %i : (tensor<64xf32>, tensor<8xf32>, tensor<i32>) -> tensor<64xf32>
  %2 = stablehlo.dynamic_update_slice %b, %u, %i : (tensor<64xf32>, tensor<8xf32>, tensor<i32>) -> tensor<64xf32>
  %3 = stablehlo.dynamic_update_slice %0, %u, %i : (tensor<64xf32>, tensor<8xf32>, tensor<i32>) -> tensor<64xf32>
  %4 = stablehlo.dynamic_update_slice %2, %u, %i : (tensor<64xf32>, tensor<8xf32>, tensor<i32>) -> tensor<64xf32>
  return %1, %3, %0, %4 : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
}
