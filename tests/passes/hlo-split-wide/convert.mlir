// pass: hlo-split-wide --level full
func.func @main(%a: tensor<4xi32>, %b: tensor<4xui64>) -> (tensor<4xi64>, tensor<4xi16>, tensor<4xi64>) {
  %0 = stablehlo.convert %a : (tensor<4xi32>) -> tensor<4xi64>
  %1 = stablehlo.convert %b : (tensor<4xui64>) -> tensor<4xi16>
  %2 = stablehlo.iota dim = 0 : tensor<4xi64>
  return %0, %1, %2 : tensor<4xi64>, tensor<4xi16>, tensor<4xi64>
}
