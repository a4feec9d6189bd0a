// pair: --level quick: Equal
func.func @main(%p: tensor<i1>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %r = "stablehlo.if"(%p) ({
    %a = stablehlo.add %x, %y : tensor<4xf32>
    stablehlo.return %a : tensor<4xf32>
  }, {
    %n = stablehlo.negate %y : tensor<4xf32>
    %d = stablehlo.add %x, %n : tensor<4xf32>
    stablehlo.return %d : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
