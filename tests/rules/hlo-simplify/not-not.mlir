// fires: signed unsigned bool
func.func @main(%x: tensor<$Nx$T>) -> tensor<$Nx$T> {
  %0 = stablehlo.not %x : tensor<$Nx$T>
  %1 = stablehlo.not %0 : tensor<$Nx$T>
  return %1 : tensor<$Nx$T>
}
