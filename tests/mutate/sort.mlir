// mutators: sort-direction sort-ties compare-order
func.func @main(%x: tensor<40xf32>) -> (tensor<40xf32>, tensor<40xi32>) {
  %i = stablehlo.iota dim = 0 : tensor<40xi32>
  %0:2 = "stablehlo.sort"(%x, %i) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>):
  %1 = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
  stablehlo.return %1 : tensor<i1>
  }) {dimension = 0 : i64, is_stable = true} : (tensor<40xf32>, tensor<40xi32>) -> (tensor<40xf32>, tensor<40xi32>)
  return %0#0, %0#1 : tensor<40xf32>, tensor<40xi32>
}
