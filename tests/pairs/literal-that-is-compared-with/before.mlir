func.func @main(%a: tensor<i32>) -> tensor<i1> {
  %c = stablehlo.constant dense<100000> : tensor<i32>
  %0 = stablehlo.compare LT, %a, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  return %0 : tensor<i1>
}
