// fires: i64 ui64
// never: i32 ui32 f64
func.func @main(%x: tensor<$Nx$T>, %y: tensor<$Nx$T>) -> (tensor<$Nxi1>, tensor<$Nxi1>, tensor<$Nxi1>, tensor<$Nxi1>, tensor<$Nxi1>, tensor<$Nxi1>) {
  %0 = stablehlo.compare EQ, %x, %y : (tensor<$Nx$T>, tensor<$Nx$T>) -> tensor<$Nxi1>
  %1 = stablehlo.compare NE, %x, %y : (tensor<$Nx$T>, tensor<$Nx$T>) -> tensor<$Nxi1>
  %2 = stablehlo.compare LT, %x, %y : (tensor<$Nx$T>, tensor<$Nx$T>) -> tensor<$Nxi1>
  %3 = stablehlo.compare LE, %x, %y : (tensor<$Nx$T>, tensor<$Nx$T>) -> tensor<$Nxi1>
  %4 = stablehlo.compare GT, %x, %y : (tensor<$Nx$T>, tensor<$Nx$T>) -> tensor<$Nxi1>
  %5 = stablehlo.compare GE, %x, %y : (tensor<$Nx$T>, tensor<$Nx$T>) -> tensor<$Nxi1>
  return %0, %1, %2, %3, %4, %5 : tensor<$Nxi1>, tensor<$Nxi1>, tensor<$Nxi1>, tensor<$Nxi1>, tensor<$Nxi1>, tensor<$Nxi1>
}
