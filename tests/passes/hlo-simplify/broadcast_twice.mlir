// pass: hlo-simplify
// A vector repeated in two steps, as JAX does it.
func.func @main(%v: tensor<3xf32>) -> tensor<5x2x3xf32> {
  %0 = stablehlo.broadcast_in_dim %v, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [1, 2] : (tensor<2x3xf32>) -> tensor<5x2x3xf32>
  return %1 : tensor<5x2x3xf32>
}
