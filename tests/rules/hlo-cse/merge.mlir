// fires: floats signed unsigned complex
func.func @main(%x: tensor<$Nx$T>, %y: tensor<$Nx$T>) -> tensor<$Nx$T> {
  %0 = stablehlo.add %x, %y : tensor<$Nx$T>
  %1 = stablehlo.add %x, %y : tensor<$Nx$T>
  %2 = stablehlo.multiply %0, %1 : tensor<$Nx$T>
  return %2 : tensor<$Nx$T>
}
