// fires: bool
// never: i8 ui8
func.func @main(%x: tensor<$Nx$T>) -> (tensor<$Nxi1>, tensor<$Nxi1>) {
  %t = stablehlo.constant dense<{1}> : tensor<$Nx$T>
  %f = stablehlo.constant dense<{0}> : tensor<$Nx$T>
  %0 = stablehlo.compare EQ, %x, %t : (tensor<$Nx$T>, tensor<$Nx$T>) -> tensor<$Nxi1>
  %1 = stablehlo.compare NE, %x, %f : (tensor<$Nx$T>, tensor<$Nx$T>) -> tensor<$Nxi1>
  return %0, %1 : tensor<$Nxi1>, tensor<$Nxi1>
}
