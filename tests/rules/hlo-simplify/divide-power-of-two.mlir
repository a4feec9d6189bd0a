// fires: wide
// never: f8E5M2 f8E4M3FN complex
func.func @main(%x: tensor<$Nx$T>) -> (tensor<$Nx$T>, tensor<$Nx$T>) {
  %a = stablehlo.constant dense<{4}> : tensor<$Nx$T>
  %c = stablehlo.constant dense<{-8}> : tensor<$Nx$T>
  %0 = stablehlo.divide %x, %a : tensor<$Nx$T>
  %1 = stablehlo.divide %x, %c : tensor<$Nx$T>
  return %0, %1 : tensor<$Nx$T>, tensor<$Nx$T>
}
