// fires: floats signed unsigned bool
func.func @main(%p: tensor<$Nxi1>, %x: tensor<$Nx$T>, %y: tensor<$Nx$T>) -> tensor<$Nx$T> {
  %n = stablehlo.not %p : tensor<$Nxi1>
  %0 = stablehlo.select %n, %x, %y : tensor<$Nxi1>, tensor<$Nx$T>
  return %0 : tensor<$Nx$T>
}
