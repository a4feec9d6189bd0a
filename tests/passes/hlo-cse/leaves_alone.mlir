// pass: hlo-cse
// Zeros of different sign, slices of different places and values of sibling regions are not one.
func.func @main(%p: tensor<i1>, %x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<2xf32>) {
  %0 = stablehlo.constant dense<0.0> : tensor<4xf32>
  %1 = stablehlo.constant dense<-0.0> : tensor<4xf32>
  %2 = stablehlo.divide %x, %0 : tensor<4xf32>
  %3 = stablehlo.divide %x, %1 : tensor<4xf32>
  %4 = stablehlo.select %p, %2, %3 : tensor<i1>, tensor<4xf32>
  %5 = "stablehlo.if"(%p) ({
    %6 = stablehlo.negate %x : tensor<4xf32>
    stablehlo.return %6 : tensor<4xf32>
  }, {
    %7 = stablehlo.negate %x : tensor<4xf32>
    stablehlo.return %7 : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  %8 = stablehlo.slice %x [0:2] : (tensor<4xf32>) -> tensor<2xf32>
  %9 = stablehlo.slice %x [1:3] : (tensor<4xf32>) -> tensor<2xf32>
  %10 = stablehlo.add %8, %9 : tensor<2xf32>
  return %4, %5, %10 : tensor<4xf32>, tensor<4xf32>, tensor<2xf32>
}
