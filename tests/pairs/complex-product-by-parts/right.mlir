// pair: --contract unknown --level full: Equal
func.func @main(%a: tensor<16xcomplex<f32>>, %b: tensor<16xcomplex<f32>>) -> tensor<16xcomplex<f32>> {
  %ar = stablehlo.real %a : (tensor<16xcomplex<f32>>) -> tensor<16xf32>
  %ai = stablehlo.imag %a : (tensor<16xcomplex<f32>>) -> tensor<16xf32>
  %br = stablehlo.real %b : (tensor<16xcomplex<f32>>) -> tensor<16xf32>
  %bi = stablehlo.imag %b : (tensor<16xcomplex<f32>>) -> tensor<16xf32>
  %rr = stablehlo.multiply %ar, %br : tensor<16xf32>
  %ii = stablehlo.multiply %ai, %bi : tensor<16xf32>
  %ri = stablehlo.multiply %ar, %bi : tensor<16xf32>
  %ir = stablehlo.multiply %ai, %br : tensor<16xf32>
  %re = stablehlo.subtract %rr, %ii : tensor<16xf32>
  %im = stablehlo.add %ri, %ir : tensor<16xf32>
  %y = stablehlo.complex %re, %im : tensor<16xcomplex<f32>>
  return %y : tensor<16xcomplex<f32>>
}
