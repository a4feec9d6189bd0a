// pass: hlo-dce
// A loop may not end, so it stays; so does what one result of two is used of.
func.func @main(%x: tensor<f32>, %y: tensor<4xf32>, %i: tensor<4xi32>) -> tensor<4xi32> {
  %0 = stablehlo.while(%a = %x) : tensor<f32>
    cond {
      %one = stablehlo.constant dense<1.0> : tensor<f32>
      %1 = stablehlo.compare GT, %a, %one : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %half = stablehlo.constant dense<0.5> : tensor<f32>
      %2 = stablehlo.multiply %a, %half : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }
  %3:2 = "stablehlo.sort"(%y, %i) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>):
    %4 = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %4 : tensor<i1>
  }) : (tensor<4xf32>, tensor<4xi32>) -> (tensor<4xf32>, tensor<4xi32>)
  return %3#1 : tensor<4xi32>
}
