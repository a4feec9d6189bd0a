// fires: floats signed
// never: complex
func.func @main(%x: tensor<$Nx$T>) -> tensor<$Nx$T> {
  %c = stablehlo.constant dense<{-1}> : tensor<$Nx$T>
  %0 = stablehlo.multiply %x, %c : tensor<$Nx$T>
  return %0 : tensor<$Nx$T>
}
