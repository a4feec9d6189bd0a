// fires: floats signed unsigned bool
func.func @main(%p: tensor<$Nxi1>, %x: tensor<$Nx$T>, %y: tensor<$Nx$T>, %z: tensor<$Nx$T>) -> (tensor<$Nx$T>, tensor<$Nx$T>) {
  %0 = stablehlo.select %p, %x, %y : tensor<$Nxi1>, tensor<$Nx$T>
  %1 = stablehlo.select %p, %0, %z : tensor<$Nxi1>, tensor<$Nx$T>
  %2 = stablehlo.select %p, %z, %0 : tensor<$Nxi1>, tensor<$Nx$T>
  return %1, %2 : tensor<$Nx$T>, tensor<$Nx$T>
}
