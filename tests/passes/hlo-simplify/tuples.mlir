// pass: hlo-simplify
// Tuples are seen through.
func.func @main(%x: tensor<3xf32>, %y: tensor<i32>) -> (tensor<i32>, tensor<3xf32>) {
  %0 = stablehlo.tuple %x, %y : tuple<tensor<3xf32>, tensor<i32>>
  %1 = stablehlo.get_tuple_element %0[0] : (tuple<tensor<3xf32>, tensor<i32>>) -> tensor<3xf32>
  %2 = stablehlo.get_tuple_element %0[1] : (tuple<tensor<3xf32>, tensor<i32>>) -> tensor<i32>
  %3 = stablehlo.tuple %1, %2 : tuple<tensor<3xf32>, tensor<i32>>
  %4 = stablehlo.optimization_barrier %3 : tuple<tensor<3xf32>, tensor<i32>>
  %5 = stablehlo.get_tuple_element %4[0] : (tuple<tensor<3xf32>, tensor<i32>>) -> tensor<3xf32>
  %6 = stablehlo.get_tuple_element %4[1] : (tuple<tensor<3xf32>, tensor<i32>>) -> tensor<i32>
  %7 = stablehlo.tuple %5, %6 : tuple<tensor<3xf32>, tensor<i32>>
  %8 = stablehlo.optimization_barrier %7 : tuple<tensor<3xf32>, tensor<i32>>
  %9 = stablehlo.get_tuple_element %8[0] : (tuple<tensor<3xf32>, tensor<i32>>) -> tensor<3xf32>
  return %2, %9 : tensor<i32>, tensor<3xf32>
}
