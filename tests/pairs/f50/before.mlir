// a mask broadcast along the last dimension loaded as if it were contiguous
func.func @main(%m: tensor<2x4x1xi1>, %x: tensor<2x4x8xf32>) -> tensor<2x4x8xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<2x4x8xf32>
  %p = stablehlo.broadcast_in_dim %m, dims = [0, 1, 2] : (tensor<2x4x1xi1>) -> tensor<2x4x8xi1>
  %r = stablehlo.select %p, %z, %x : tensor<2x4x8xi1>, tensor<2x4x8xf32>
  return %r : tensor<2x4x8xf32>
}
