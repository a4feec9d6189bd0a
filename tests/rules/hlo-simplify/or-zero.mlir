// fires: signed unsigned bool
func.func @main(%x: tensor<$Nx$T>) -> (tensor<$Nx$T>, tensor<$Nx$T>) {
  %c = stablehlo.constant dense<{0}> : tensor<$Nx$T>
  %0 = stablehlo.or %x, %c : tensor<$Nx$T>
  %1 = stablehlo.or %c, %x : tensor<$Nx$T>
  return %0, %1 : tensor<$Nx$T>, tensor<$Nx$T>
}
