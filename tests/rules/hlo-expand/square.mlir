// fires: floats signed unsigned
// never: complex
func.func @main(%x: tensor<$Nx$T>) -> tensor<$Nx$T> {
  %0 = chlo.square %x : tensor<$Nx$T> -> tensor<$Nx$T>
  return %0 : tensor<$Nx$T>
}
