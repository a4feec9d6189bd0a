// fires: signed unsigned
// never: wide
// each: 0 1 3 100 -1 -7 200 60000
func.func @main(%x: tensor<$Nx$T>) -> tensor<$Nx$T> {
  %c = stablehlo.constant dense<$I> : tensor<$Nx$T>
  %d = stablehlo.constant dense<{highest}> : tensor<$Nx$T>
  %0 = stablehlo.multiply %x, %c : tensor<$Nx$T>
  %1 = stablehlo.multiply %d, %0 : tensor<$Nx$T>
  return %1 : tensor<$Nx$T>
}
