// fires: ieee
// never: complex
func.func @main(%x: tensor<$Nx$T>) -> tensor<$Nx$T> {
  %c = stablehlo.constant dense<{-0}> : tensor<$Nx$T>
  %0 = stablehlo.add %c, %x : tensor<$Nx$T>
  return %0 : tensor<$Nx$T>
}
