// pass: hlo-fuse
// An update made from another part of its own buffer stays outside: in place, it would read what was written. So does an update with two users.
func.func @main(%b: tensor<64xf32>, %p: tensor<64xf32>, %u: tensor<8xf32>) -> (tensor<64xf32>, tensor<8xf32>, tensor<64xf32>) {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0 = stablehlo.slice %b [0:63] : (tensor<64xf32>) -> tensor<63xf32>
  %1 = stablehlo.negate %0 : tensor<63xf32>
  %2 = stablehlo.dynamic_update_slice %b, %1, %one : (tensor<64xf32>, tensor<63xf32>, tensor<i32>) -> tensor<64xf32>
  %3 = stablehlo.dynamic_update_slice %p, %u, %one : (tensor<64xf32>, tensor<8xf32>, tensor<i32>) -> tensor<64xf32>
  %4 = stablehlo.slice %3 [0:8] : (tensor<64xf32>) -> tensor<8xf32>
  %5 = stablehlo.abs %4 : tensor<8xf32>
  %6 = stablehlo.exponential %3 : tensor<64xf32>
  return %2, %5, %6 : tensor<64xf32>, tensor<8xf32>, tensor<64xf32>
}
