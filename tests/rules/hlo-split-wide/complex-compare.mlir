// fires: complex<f32>
// never: complex<f64> f32
func.func @main(%x: tensor<$Nx$T>, %y: tensor<$Nx$T>) -> (tensor<$Nxi1>, tensor<$Nxi1>) {
  %0 = stablehlo.compare EQ, %x, %y : (tensor<$Nx$T>, tensor<$Nx$T>) -> tensor<$Nxi1>
  %1 = stablehlo.compare NE, %x, %y : (tensor<$Nx$T>, tensor<$Nx$T>) -> tensor<$Nxi1>
  return %0, %1 : tensor<$Nxi1>, tensor<$Nxi1>
}
