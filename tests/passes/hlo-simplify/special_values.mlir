// pass: hlo-simplify --level full
// NaN, infinities, signed zeros and subnormals go through every rewrite that touches a float.
func.func @main(%x: tensor<32xf32>, %y: tensor<32xbf16>) -> (tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xbf16>) {
  %one = stablehlo.constant dense<1.0> : tensor<32xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<32xf32>
  %minus_zero = stablehlo.constant dense<-0.0> : tensor<32xf32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<32xf32>
  %0 = stablehlo.multiply %x, %one : tensor<32xf32>
  %1 = stablehlo.subtract %0, %zero : tensor<32xf32>
  %2 = stablehlo.add %1, %minus_zero : tensor<32xf32>
  %3 = stablehlo.maximum %2, %low : tensor<32xf32>
  %4 = stablehlo.subtract %minus_zero, %x : tensor<32xf32>
  %5 = stablehlo.maximum %x, %x : tensor<32xf32>
  %6 = stablehlo.convert %y : (tensor<32xbf16>) -> tensor<32xf32>
  %7 = stablehlo.convert %6 : (tensor<32xf32>) -> tensor<32xbf16>
  return %3, %4, %5, %7 : tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xbf16>
}
