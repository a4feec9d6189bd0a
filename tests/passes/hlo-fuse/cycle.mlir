// pass: hlo-fuse
// The sort stands between the two users of %0: as one kernel they would wait for each other. %3 waits for the kernel that makes both its operands.
func.func @main(%x: tensor<64xf32>, %y: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %0 = stablehlo.tanh %x : tensor<64xf32>
  %1 = "stablehlo.sort"(%0) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<64xf32>) -> tensor<64xf32>
  %2 = stablehlo.add %0, %1 : tensor<64xf32>
  %3 = stablehlo.reverse %2, dims = [0] : tensor<64xf32>
  return %2, %3 : tensor<64xf32>, tensor<64xf32>
}
