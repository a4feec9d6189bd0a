// fires: infinite signed unsigned bool
func.func @main(%x: tensor<$Nx$T>) -> tensor<$Nx$T> {
  %c = stablehlo.constant dense<{lowest}> : tensor<$Nx$T>
  %0 = stablehlo.maximum %x, %c : tensor<$Nx$T>
  return %0 : tensor<$Nx$T>
}
