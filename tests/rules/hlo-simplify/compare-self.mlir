// fires: signed unsigned bool
// never: floats complex
func.func @main(%x: tensor<$Nx$T>) -> (tensor<$Nxi1>, tensor<$Nxi1>, tensor<$Nxi1>, tensor<$Nxi1>, tensor<$Nxi1>, tensor<$Nxi1>) {
  %EQ = stablehlo.compare EQ, %x, %x : (tensor<$Nx$T>, tensor<$Nx$T>) -> tensor<$Nxi1>
  %NE = stablehlo.compare NE, %x, %x : (tensor<$Nx$T>, tensor<$Nx$T>) -> tensor<$Nxi1>
  %GE = stablehlo.compare GE, %x, %x : (tensor<$Nx$T>, tensor<$Nx$T>) -> tensor<$Nxi1>
  %GT = stablehlo.compare GT, %x, %x : (tensor<$Nx$T>, tensor<$Nx$T>) -> tensor<$Nxi1>
  %LE = stablehlo.compare LE, %x, %x : (tensor<$Nx$T>, tensor<$Nx$T>) -> tensor<$Nxi1>
  %LT = stablehlo.compare LT, %x, %x : (tensor<$Nx$T>, tensor<$Nx$T>) -> tensor<$Nxi1>
  return %EQ, %NE, %GE, %GT, %LE, %LT : tensor<$Nxi1>, tensor<$Nxi1>, tensor<$Nxi1>, tensor<$Nxi1>, tensor<$Nxi1>, tensor<$Nxi1>
}
