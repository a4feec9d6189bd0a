// fires: floats signed unsigned bool complex
func.func @main(%x: tensor<$Nx$T>) -> tensor<$Nx$T> {
  %0 = stablehlo.maximum %x, %x : tensor<$Nx$T>
  return %0 : tensor<$Nx$T>
}
