// mutators: index-clamp starts-rotated in-place-alias
func.func @main(%x: tensor<6x6xf32>, %u: tensor<2x2xf32>, %i: tensor<i32>, %j: tensor<i32>) -> (tensor<3x3xf32>, tensor<6x6xf32>) {
  %0 = stablehlo.dynamic_slice %x, %i, %j, sizes = [3, 3] : (tensor<6x6xf32>, tensor<i32>, tensor<i32>) -> tensor<3x3xf32>
  %1 = stablehlo.dynamic_update_slice %x, %u, %j, %i : (tensor<6x6xf32>, tensor<2x2xf32>, tensor<i32>, tensor<i32>) -> tensor<6x6xf32>
  %2 = stablehlo.subtract %1, %x : tensor<6x6xf32>
  return %0, %2 : tensor<3x3xf32>, tensor<6x6xf32>
}
