// pass: hlo-simplify --level full
// None of these keeps every bit: x+0 and x-(-0) lose -0, x*0 loses NaN, 0-x loses a sign, log(exp(x)) rounds, NaN is not itself.
func.func @main(%x: tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xi1>, tensor<16xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<16xf32>
  %minus_zero = stablehlo.constant dense<-0.0> : tensor<16xf32>
  %0 = stablehlo.add %x, %zero : tensor<16xf32>
  %1 = stablehlo.subtract %x, %minus_zero : tensor<16xf32>
  %2 = stablehlo.multiply %x, %zero : tensor<16xf32>
  %3 = stablehlo.subtract %zero, %x : tensor<16xf32>
  %4 = stablehlo.exponential %x : tensor<16xf32>
  %5 = stablehlo.log %4 : tensor<16xf32>
  %6 = stablehlo.compare EQ, %x, %x : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xi1>
  %7 = stablehlo.optimization_barrier %x : tensor<16xf32>
  return %0, %1, %2, %3, %5, %6, %7 : tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xi1>, tensor<16xf32>
}
