// fires: floats signed unsigned bool complex
func.func @main(%x: tensor<$Nx$T>, %y: tensor<$Nx$T>) -> (tensor<$Nx$T>, tensor<$Nx$T>) {
  %t = stablehlo.constant dense<true> : tensor<$Nxi1>
  %f = stablehlo.constant dense<false> : tensor<$Nxi1>
  %0 = stablehlo.select %t, %x, %y : tensor<$Nxi1>, tensor<$Nx$T>
  %1 = stablehlo.select %f, %x, %y : tensor<$Nxi1>, tensor<$Nx$T>
  return %0, %1 : tensor<$Nx$T>, tensor<$Nx$T>
}
