// fires: bool
func.func @main(%x: tensor<$Nxi1>) -> tensor<$Nxi1> {
  %t = stablehlo.constant dense<true> : tensor<$Nxi1>
  %f = stablehlo.constant dense<false> : tensor<$Nxi1>
  %0 = stablehlo.select %x, %t, %f : tensor<$Nxi1>, tensor<$Nxi1>
  return %0 : tensor<$Nxi1>
}
