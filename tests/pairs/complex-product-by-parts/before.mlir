// a complex product written out
func.func @main(%a: tensor<16xcomplex<f32>>, %b: tensor<16xcomplex<f32>>) -> tensor<16xcomplex<f32>> {
  %y = stablehlo.multiply %a, %b : tensor<16xcomplex<f32>>
  return %y : tensor<16xcomplex<f32>>
}
