// pass: hlo-canonicalize-dots
// Products in the form already: of matrices, batched, of vectors, outer.
func.func @main(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>, %b: tensor<5x2x3xf32>, %c: tensor<5x3x4xf32>, %u: tensor<3xf32>, %v: tensor<4xf32>) -> (tensor<2x4xf32>, tensor<5x2x4xf32>, tensor<f32>, tensor<3x4xf32>) {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  %1 = stablehlo.dot_general %b, %c, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<5x2x3xf32>, tensor<5x3x4xf32>) -> tensor<5x2x4xf32>
  %2 = stablehlo.dot_general %u, %u, contracting_dims = [0] x [0] : (tensor<3xf32>, tensor<3xf32>) -> tensor<f32>
  %3 = stablehlo.dot_general %u, %v, contracting_dims = [] x [] : (tensor<3xf32>, tensor<4xf32>) -> tensor<3x4xf32>
  return %0, %1, %2, %3 : tensor<2x4xf32>, tensor<5x2x4xf32>, tensor<f32>, tensor<3x4xf32>
}
