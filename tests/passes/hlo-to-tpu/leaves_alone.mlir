// pass: hlo-to-tpu
// Types and ops without kernels, empty tensors, control flow.
func.func @main(%a: tensor<3xf64>, %b: tensor<0x2xf32>, %p: tensor<i1>, %c: tensor<4xf32>) -> (tensor<3xf64>, tensor<0x2xf32>, tensor<4xf32>) {
  %0 = stablehlo.add %a, %a : tensor<3xf64>
  %1 = stablehlo.negate %b : tensor<0x2xf32>
  %2 = "stablehlo.if"(%p) ({
    %3 = stablehlo.abs %c : tensor<4xf32>
    stablehlo.return %3 : tensor<4xf32>
  }, {
    stablehlo.return %c : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  return %0, %1, %2 : tensor<3xf64>, tensor<0x2xf32>, tensor<4xf32>
}
