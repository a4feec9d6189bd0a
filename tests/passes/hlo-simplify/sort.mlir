// pass: hlo-simplify
// Lines of one element are sorted; lines of three are not.
func.func @main(%x: tensor<4x1xf32>, %y: tensor<4x3xf32>) -> (tensor<4x1xf32>, tensor<4x3xf32>) {
  %0 = "stablehlo.sort"(%x) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %1 = "stablehlo.sort"(%y) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<4x3xf32>) -> tensor<4x3xf32>
  return %0, %1 : tensor<4x1xf32>, tensor<4x3xf32>
}
