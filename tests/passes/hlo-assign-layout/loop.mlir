// pass: hlo-assign-layout
// A loop keeps what it carries in one buffer and its body updates it; the buffer from outside is read in every iteration.
func.func @main(%x: tensor<64xf32>, %u: tensor<8xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %y = stablehlo.negate %x : tensor<64xf32>
  %o = stablehlo.abs %x : tensor<64xf32>
  %0:3 = stablehlo.while(%i = %zero, %v = %y, %w = %x) : tensor<i32>, tensor<64xf32>, tensor<64xf32>
    cond {
      %three = stablehlo.constant dense<3> : tensor<i32>
      %c = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %1 = stablehlo.add %i, %one : tensor<i32>
      %2 = stablehlo.dynamic_update_slice %v, %u, %i : (tensor<64xf32>, tensor<8xf32>, tensor<i32>) -> tensor<64xf32>
      %3 = stablehlo.dynamic_update_slice %o, %u, %i : (tensor<64xf32>, tensor<8xf32>, tensor<i32>) -> tensor<64xf32>
      stablehlo.return %1, %2, %3 : tensor<i32>, tensor<64xf32>, tensor<64xf32>
    }
  return %0#1, %0#2 : tensor<64xf32>, tensor<64xf32>
}
