// fires: signed unsigned bool floats complex
func.func @main(%x: tensor<$Nx$T>, %y: tensor<$Nx$T>) -> (tensor<$Nxi1>, tensor<$Nxi1>, tensor<$Nxi1>, tensor<$Nxi1>, tensor<$Nxi1>, tensor<$Nxi1>) {
  %EQ = stablehlo.compare EQ, %x, %y : (tensor<$Nx$T>, tensor<$Nx$T>) -> tensor<$Nxi1>
  %nEQ = stablehlo.not %EQ : tensor<$Nxi1>
  %NE = stablehlo.compare NE, %x, %y : (tensor<$Nx$T>, tensor<$Nx$T>) -> tensor<$Nxi1>
  %nNE = stablehlo.not %NE : tensor<$Nxi1>
  %GE = stablehlo.compare GE, %x, %y : (tensor<$Nx$T>, tensor<$Nx$T>) -> tensor<$Nxi1>
  %nGE = stablehlo.not %GE : tensor<$Nxi1>
  %GT = stablehlo.compare GT, %x, %y : (tensor<$Nx$T>, tensor<$Nx$T>) -> tensor<$Nxi1>
  %nGT = stablehlo.not %GT : tensor<$Nxi1>
  %LE = stablehlo.compare LE, %x, %y : (tensor<$Nx$T>, tensor<$Nx$T>) -> tensor<$Nxi1>
  %nLE = stablehlo.not %LE : tensor<$Nxi1>
  %LT = stablehlo.compare LT, %x, %y : (tensor<$Nx$T>, tensor<$Nx$T>) -> tensor<$Nxi1>
  %nLT = stablehlo.not %LT : tensor<$Nxi1>
  return %nEQ, %nNE, %nGE, %nGT, %nLE, %nLT : tensor<$Nxi1>, tensor<$Nxi1>, tensor<$Nxi1>, tensor<$Nxi1>, tensor<$Nxi1>, tensor<$Nxi1>
}
