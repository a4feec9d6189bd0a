// fires: complex
func.func @main(%x: tensor<$Nx$T>) -> tensor<$Nx$T> {
  %0 = chlo.conj %x : tensor<$Nx$T> -> tensor<$Nx$T>
  %1 = chlo.conj %0 : tensor<$Nx$T> -> tensor<$Nx$T>
  return %1 : tensor<$Nx$T>
}
