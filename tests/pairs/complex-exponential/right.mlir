// pair: --contract unknown --level full: Equal
func.func @main(%x: tensor<16xf32>, %y: tensor<16xf32>) -> tensor<16xcomplex<f32>> {
  %zero = stablehlo.constant dense<0.0> : tensor<16xf32>
  %half = stablehlo.constant dense<0.5> : tensor<16xf32>
  %inf = stablehlo.constant dense<0x7F800000> : tensor<16xf32>
  %e = stablehlo.exponential %x : tensor<16xf32>
  %overflows = stablehlo.compare EQ, %e, %inf, FLOAT : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xi1>
  %xh = stablehlo.multiply %x, %half : tensor<16xf32>
  %eh = stablehlo.exponential %xh : tensor<16xf32>
  %c = stablehlo.cosine %y : tensor<16xf32>
  %s = stablehlo.sine %y : tensor<16xf32>
  %c1 = stablehlo.multiply %eh, %c : tensor<16xf32>
  %c2 = stablehlo.multiply %c1, %eh : tensor<16xf32>
  %ec = stablehlo.multiply %e, %c : tensor<16xf32>
  %re = stablehlo.select %overflows, %c2, %ec : tensor<16xi1>, tensor<16xf32>
  %s1 = stablehlo.multiply %eh, %s : tensor<16xf32>
  %s2 = stablehlo.multiply %s1, %eh : tensor<16xf32>
  %es = stablehlo.multiply %e, %s : tensor<16xf32>
  %im = stablehlo.select %overflows, %s2, %es : tensor<16xi1>, tensor<16xf32>
  %real = stablehlo.compare EQ, %y, %zero, FLOAT : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xi1>
  %i = stablehlo.select %real, %y, %im : tensor<16xi1>, tensor<16xf32>
  %r = stablehlo.complex %re, %i : tensor<16xcomplex<f32>>
  return %r : tensor<16xcomplex<f32>>
}
