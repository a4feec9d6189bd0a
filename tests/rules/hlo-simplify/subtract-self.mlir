// fires: signed unsigned
// never: floats complex
func.func @main(%x: tensor<$Nx$T>) -> tensor<$Nx$T> {
  %0 = stablehlo.subtract %x, %x : tensor<$Nx$T>
  return %0 : tensor<$Nx$T>
}
