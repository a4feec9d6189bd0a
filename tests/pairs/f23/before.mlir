// a broadcast of a reshape along the wrong one of two equal dimensions
func.func @main(%x: tensor<4xf32>) -> tensor<4x4xf32> {
  %0 = stablehlo.reshape %x : (tensor<4xf32>) -> tensor<1x4xf32>
  %r = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<1x4xf32>) -> tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}
