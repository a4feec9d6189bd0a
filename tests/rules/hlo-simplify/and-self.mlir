// fires: signed unsigned bool
func.func @main(%x: tensor<$Nx$T>) -> tensor<$Nx$T> {
  %0 = stablehlo.and %x, %x : tensor<$Nx$T>
  return %0 : tensor<$Nx$T>
}
