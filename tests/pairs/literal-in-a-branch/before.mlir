func.func @main(%p: tensor<i1>, %x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = "stablehlo.if"(%p) ({
    %c = stablehlo.constant dense<0.3> : tensor<8xf32>
    %y = stablehlo.multiply %x, %c : tensor<8xf32>
    stablehlo.return %y : tensor<8xf32>
  }, {
    stablehlo.return %x : tensor<8xf32>
  }) : (tensor<i1>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
