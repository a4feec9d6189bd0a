// fires: floats signed
func.func @main(%x: tensor<$Nx$T>) -> tensor<$Nx$T> {
  %0 = stablehlo.abs %x : tensor<$Nx$T>
  %1 = stablehlo.abs %0 : tensor<$Nx$T>
  return %1 : tensor<$Nx$T>
}
