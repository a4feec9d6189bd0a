// nested dynamic slices merged with the wrong clamp
func.func @main(%x: tensor<10xi32>, %i: tensor<i32>, %j: tensor<i32>) -> tensor<2xi32> {
  %0 = stablehlo.dynamic_slice %x, %i, sizes = [8] : (tensor<10xi32>, tensor<i32>) -> tensor<8xi32>
  %r = stablehlo.dynamic_slice %0, %j, sizes = [2] : (tensor<8xi32>, tensor<i32>) -> tensor<2xi32>
  return %r : tensor<2xi32>
}
