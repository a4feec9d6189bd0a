// pass: hlo-split-wide --level full
func.func @main(%a: tensor<4xui64>, %b: tensor<4xui64>) -> (tensor<4xui64>, tensor<4xui64>) {
  %0 = stablehlo.multiply %a, %b : tensor<4xui64>
  %1 = stablehlo.xor %0, %a : tensor<4xui64>
  %2 = stablehlo.not %1 : tensor<4xui64>
  return %0, %2 : tensor<4xui64>, tensor<4xui64>
}
