// fires: floats signed unsigned complex
func.func @main(%x: tensor<$Nx$T>, %y: tensor<$Nx$T>) -> tensor<$Nx$T> {
  %0 = stablehlo.add %x, %y : tensor<$Nx$T>
  %1 = stablehlo.multiply %x, %y : tensor<$Nx$T>
  return %0 : tensor<$Nx$T>
}
