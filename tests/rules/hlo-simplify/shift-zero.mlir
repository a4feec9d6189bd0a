// fires: signed unsigned
func.func @main(%x: tensor<$Nx$T>) -> (tensor<$Nx$T>, tensor<$Nx$T>, tensor<$Nx$T>) {
  %c = stablehlo.constant dense<{0}> : tensor<$Nx$T>
  %0 = stablehlo.shift_left %x, %c : tensor<$Nx$T>
  %1 = stablehlo.shift_right_logical %x, %c : tensor<$Nx$T>
  %2 = stablehlo.shift_right_arithmetic %x, %c : tensor<$Nx$T>
  return %0, %1, %2 : tensor<$Nx$T>, tensor<$Nx$T>, tensor<$Nx$T>
}
