// pass: hlo-split-wide --level full
// NaN, infinities, signed zeros and the largest integers in every class of inputs.
func.func @main(%z: tensor<2x3xcomplex<f32>>, %w: tensor<2x3xcomplex<f32>>) -> (tensor<3x2xcomplex<f32>>, tensor<2x3xi1>) {
  %0 = stablehlo.add %z, %w : tensor<2x3xcomplex<f32>>
  %1 = stablehlo.negate %0 : tensor<2x3xcomplex<f32>>
  %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<2x3xcomplex<f32>>) -> tensor<3x2xcomplex<f32>>
  %3 = stablehlo.compare EQ, %z, %w, FLOAT : (tensor<2x3xcomplex<f32>>, tensor<2x3xcomplex<f32>>) -> tensor<2x3xi1>
  return %2, %3 : tensor<3x2xcomplex<f32>>, tensor<2x3xi1>
}
