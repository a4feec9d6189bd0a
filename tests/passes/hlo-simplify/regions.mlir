// pass: hlo-simplify
// Rewrites work inside regions, on values from outside them.
func.func @main(%p: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %one = stablehlo.constant dense<1.0> : tensor<4xf32>
  %0 = stablehlo.negate %x : tensor<4xf32>
  %1 = "stablehlo.if"(%p) ({
    %2 = stablehlo.negate %0 : tensor<4xf32>
    stablehlo.return %2 : tensor<4xf32>
  }, {
    %3 = stablehlo.multiply %0, %one : tensor<4xf32>
    stablehlo.return %3 : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
