// pair: --contract unknown --level ordinary: Equal
func.func @main(%x: tensor<16xf32>, %y: tensor<16xf32>) -> tensor<16xcomplex<f32>> {
  %e = stablehlo.exponential %x : tensor<16xf32>
  %c = stablehlo.cosine %y : tensor<16xf32>
  %s = stablehlo.sine %y : tensor<16xf32>
  %re = stablehlo.multiply %e, %c : tensor<16xf32>
  %im = stablehlo.multiply %e, %s : tensor<16xf32>
  %r = stablehlo.complex %re, %im : tensor<16xcomplex<f32>>
  return %r : tensor<16xcomplex<f32>>
}
