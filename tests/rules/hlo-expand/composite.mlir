// fires: floats signed unsigned complex
func.func @main(%x: tensor<$Nx$T>) -> tensor<$Nx$T> {
  %0 = stablehlo.composite "my.double" %x {decomposition = @double} : (tensor<$Nx$T>) -> tensor<$Nx$T>
  return %0 : tensor<$Nx$T>
}
func.func private @double(%x: tensor<$Nx$T>) -> tensor<$Nx$T> {
  %0 = stablehlo.add %x, %x : tensor<$Nx$T>
  return %0 : tensor<$Nx$T>
}
