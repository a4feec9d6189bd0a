func.func @main(%x: tensor<7xf32>, %i: tensor<i32>) -> tensor<2xf32> {
  %0 = stablehlo.dynamic_slice %x, %i, sizes = [2] : (tensor<7xf32>, tensor<i32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
