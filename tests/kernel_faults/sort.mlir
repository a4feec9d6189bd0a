// block-bytes: 65536
// fault: f86 hlo-to-tpu order-of-nan
// fault: f87 hlo-to-tpu tie-to-last
func.func @main(%k: tensor<4x12xf32>, %v: tensor<4x12xi32>) -> (tensor<4x12xf32>, tensor<4x12xi32>) {
  %0:2 = "stablehlo.sort"(%k, %v) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>):
    %1 = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<4x12xf32>, tensor<4x12xi32>) -> (tensor<4x12xf32>, tensor<4x12xi32>)
  return %0#0, %0#1 : tensor<4x12xf32>, tensor<4x12xi32>
}
