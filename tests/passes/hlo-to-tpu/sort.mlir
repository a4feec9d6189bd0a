// pass: hlo-to-tpu
// Five elements in a network of eight; equal keys keep their order.
func.func @main(%k: tensor<3x5xi32>, %v: tensor<3x5xf32>) -> (tensor<3x5xi32>, tensor<3x5xf32>) {
  %m = stablehlo.constant dense<1> : tensor<3x5xi32>
  %0 = stablehlo.and %k, %m : tensor<3x5xi32>
  %1:2 = "stablehlo.sort"(%0, %v) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<f32>, %d: tensor<f32>):
    %2 = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %2 : tensor<i1>
  }) : (tensor<3x5xi32>, tensor<3x5xf32>) -> (tensor<3x5xi32>, tensor<3x5xf32>)
  return %1#0, %1#1 : tensor<3x5xi32>, tensor<3x5xf32>
}
