// pair: --contract strict --level full: Miscompile
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %low = stablehlo.constant dense<-0.1> : tensor<16xf32>
  %high = stablehlo.constant dense<0.1> : tensor<16xf32>
  %c = stablehlo.clamp %low, %x, %high : tensor<16xf32>
  %c0 = stablehlo.constant dense<1.0> : tensor<16xf32>
  %c1 = stablehlo.constant dense<1.0> : tensor<16xf32>
  %c2 = stablehlo.constant dense<0.5> : tensor<16xf32>
  %c3 = stablehlo.constant dense<0.16666667> : tensor<16xf32>
  %p2 = stablehlo.multiply %c3, %c : tensor<16xf32>
  %s2 = stablehlo.add %p2, %c2 : tensor<16xf32>
  %p1 = stablehlo.multiply %s2, %c : tensor<16xf32>
  %s1 = stablehlo.add %p1, %c1 : tensor<16xf32>
  %p0 = stablehlo.multiply %s1, %c : tensor<16xf32>
  %r = stablehlo.add %p0, %c0 : tensor<16xf32>
  return %r : tensor<16xf32>
}
