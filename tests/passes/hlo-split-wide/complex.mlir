// pass: hlo-split-wide
// Sums by parts; movement of both parts; a pair that this pass made is taken apart for free.
func.func @main(%z: tensor<2x3xcomplex<f32>>, %w: tensor<2x3xcomplex<f32>>) -> tensor<3x2xcomplex<f32>> {
  %0 = stablehlo.subtract %z, %w : tensor<2x3xcomplex<f32>>
  %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<2x3xcomplex<f32>>) -> tensor<3x2xcomplex<f32>>
  %2 = stablehlo.negate %1 : tensor<3x2xcomplex<f32>>
  return %2 : tensor<3x2xcomplex<f32>>
}
