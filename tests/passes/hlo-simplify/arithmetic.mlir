// pass: hlo-simplify
// Ones, zeros and signs: every rewrite of floats.
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %one = stablehlo.constant dense<1.0> : tensor<4xf32>
  %minus_one = stablehlo.constant dense<-1.0> : tensor<4xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<4xf32>
  %minus_zero = stablehlo.constant dense<-0.0> : tensor<4xf32>
  %0 = stablehlo.multiply %x, %one : tensor<4xf32>
  %1 = stablehlo.divide %0, %one : tensor<4xf32>
  %2 = stablehlo.subtract %1, %zero : tensor<4xf32>
  %3 = stablehlo.add %minus_zero, %2 : tensor<4xf32>
  %negated = stablehlo.multiply %3, %minus_one : tensor<4xf32>
  %from_zero = stablehlo.subtract %minus_zero, %y : tensor<4xf32>
  %4 = stablehlo.negate %negated : tensor<4xf32>
  %5 = stablehlo.add %4, %from_zero : tensor<4xf32>
  %6 = stablehlo.subtract %4, %from_zero : tensor<4xf32>
  %7 = stablehlo.multiply %negated, %from_zero : tensor<4xf32>
  %8 = stablehlo.divide %negated, %from_zero : tensor<4xf32>
  %9 = stablehlo.abs %negated : tensor<4xf32>
  %10 = stablehlo.abs %9 : tensor<4xf32>
  %11 = stablehlo.floor %y : tensor<4xf32>
  %12 = stablehlo.ceil %11 : tensor<4xf32>
  return %5, %6, %7, %8, %10, %12 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
