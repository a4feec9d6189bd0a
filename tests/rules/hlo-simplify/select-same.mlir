// fires: floats signed unsigned bool complex
func.func @main(%p: tensor<$Nxi1>, %x: tensor<$Nx$T>) -> tensor<$Nx$T> {
  %0 = stablehlo.select %p, %x, %x : tensor<$Nxi1>, tensor<$Nx$T>
  return %0 : tensor<$Nx$T>
}
