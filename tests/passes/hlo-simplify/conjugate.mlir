// pass: hlo-simplify
// chlo has the conjugate as an op.
func.func @main(%z: tensor<3xcomplex<f32>>) -> tensor<3xcomplex<f32>> {
  %0 = hlo.conj %z : tensor<3xcomplex<f32>>
  %1 = hlo.conj %0 : tensor<3xcomplex<f32>>
  return %1 : tensor<3xcomplex<f32>>
}
