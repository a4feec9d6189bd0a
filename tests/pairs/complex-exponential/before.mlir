// the exponential of a complex number, and the formula a compiler writes for it, with the numbers that the plain formula gets wrong
func.func @main(%x: tensor<16xf32>, %y: tensor<16xf32>) -> tensor<16xcomplex<f32>> {
  %z = stablehlo.complex %x, %y : tensor<16xcomplex<f32>>
  %r = stablehlo.exponential %z : tensor<16xcomplex<f32>>
  return %r : tensor<16xcomplex<f32>>
}
