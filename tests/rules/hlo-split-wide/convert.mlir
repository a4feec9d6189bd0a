// fires: integers bool
// never: f32
func.func @main(%x: tensor<$Nx$T>, %y: tensor<$Nxi1>) -> (tensor<$Nxi64>, tensor<$Nxui64>) {
  %0 = stablehlo.convert %x : (tensor<$Nx$T>) -> tensor<$Nxi64>
  %1 = stablehlo.convert %x : (tensor<$Nx$T>) -> tensor<$Nxui64>
  return %0, %1 : tensor<$Nxi64>, tensor<$Nxui64>
}
