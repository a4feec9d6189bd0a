// pass: hlo-simplify
// A constant of equal elements is that constant wherever it is moved; the other one is left alone.
func.func @main(%x: tensor<3x2xf32>) -> (tensor<2x3xf32>, tensor<2x3xi32>, tensor<1x3xi32>, tensor<i32>) {
  %0 = stablehlo.constant dense<2.5> : tensor<f32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<3x2xf32>
  %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<3x2xf32>) -> tensor<2x3xf32>
  %3 = stablehlo.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi32>
  %4 = stablehlo.transpose %3, dims = [1, 0] : (tensor<3x2xi32>) -> tensor<2x3xi32>
  %5 = stablehlo.iota dim = 0 : tensor<1x3xi32>
  %6 = stablehlo.get_dimension_size %x, dim = 0 : (tensor<3x2xf32>) -> tensor<i32>
  return %2, %4, %5, %6 : tensor<2x3xf32>, tensor<2x3xi32>, tensor<1x3xi32>, tensor<i32>
}
