// mutators: branches-swapped other-callee
func.func private @twice(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %a, %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @square(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.multiply %a, %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @main(%p: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.if"(%p) ({
    %1 = stablehlo.sine %x : tensor<4xf32>
    stablehlo.return %1 : tensor<4xf32>
  }, {
    %2 = func.call @twice(%x) : (tensor<4xf32>) -> tensor<4xf32>
    stablehlo.return %2 : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  %3 = func.call @square(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %3 : tensor<4xf32>
}
