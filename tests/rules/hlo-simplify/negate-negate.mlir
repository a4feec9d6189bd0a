// fires: floats signed unsigned complex
func.func @main(%x: tensor<$Nx$T>) -> tensor<$Nx$T> {
  %0 = stablehlo.negate %x : tensor<$Nx$T>
  %1 = stablehlo.negate %0 : tensor<$Nx$T>
  return %1 : tensor<$Nx$T>
}
