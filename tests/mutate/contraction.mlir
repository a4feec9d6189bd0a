// mutators: dot-dimensions dot-tail square-transposed narrow-accumulation
func.func @main(%x: tensor<4x4x4xf32>, %y: tensor<4x4x4xf32>) -> tensor<4x4x4xf32> {
  %0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<4x4x4xf32>, tensor<4x4x4xf32>) -> tensor<4x4x4xf32>
  return %0 : tensor<4x4x4xf32>
}
