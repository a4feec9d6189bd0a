// pass: hlo-simplify --level full
// 8 and -0.5 have exact reciprocals; 2^127 has a subnormal one and 3 none. Special values and subnormals run through.
func.func @main(%x: tensor<24xf32>, %h: tensor<24xf16>) -> (tensor<24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<24xf16>) {
  %eight = stablehlo.constant dense<8.0> : tensor<24xf32>
  %huge = stablehlo.constant dense<1.70141183E+38> : tensor<24xf32>
  %three = stablehlo.constant dense<3.0> : tensor<24xf32>
  %half = stablehlo.constant dense<-0.5> : tensor<24xf16>
  %0 = stablehlo.divide %x, %eight : tensor<24xf32>
  %1 = stablehlo.divide %x, %huge : tensor<24xf32>
  %2 = stablehlo.divide %x, %three : tensor<24xf32>
  %3 = stablehlo.divide %h, %half : tensor<24xf16>
  return %0, %1, %2, %3 : tensor<24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<24xf16>
}
