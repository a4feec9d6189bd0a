// pass: hlo-expand
// A square is a product; that of a complex number is left alone.
func.func @main(%x: tensor<3xf32>, %z: tensor<3xcomplex<f32>>) -> (tensor<3xf32>, tensor<3xcomplex<f32>>) {
  %0 = chlo.square %x : tensor<3xf32> -> tensor<3xf32>
  %1 = chlo.square %z : tensor<3xcomplex<f32>> -> tensor<3xcomplex<f32>>
  return %0, %1 : tensor<3xf32>, tensor<3xcomplex<f32>>
}
