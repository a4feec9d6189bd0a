// fires: infinite signed unsigned bool
func.func @main(%x: tensor<$Nx$T>) -> tensor<$Nx$T> {
  %c = stablehlo.constant dense<{highest}> : tensor<$Nx$T>
  %0 = stablehlo.minimum %c, %x : tensor<$Nx$T>
  return %0 : tensor<$Nx$T>
}
