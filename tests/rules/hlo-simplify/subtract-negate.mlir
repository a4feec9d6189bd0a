// fires: floats signed unsigned complex
func.func @main(%x: tensor<$Nx$T>, %y: tensor<$Nx$T>) -> tensor<$Nx$T> {
  %0 = stablehlo.negate %y : tensor<$Nx$T>
  %1 = stablehlo.subtract %x, %0 : tensor<$Nx$T>
  return %1 : tensor<$Nx$T>
}
