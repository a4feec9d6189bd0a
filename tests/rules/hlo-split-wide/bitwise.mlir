// fires: i64 ui64
// never: i32 ui32
func.func @main(%x: tensor<$Nx$T>, %y: tensor<$Nx$T>) -> (tensor<$Nx$T>, tensor<$Nx$T>, tensor<$Nx$T>, tensor<$Nx$T>) {
  %0 = stablehlo.and %x, %y : tensor<$Nx$T>
  %1 = stablehlo.or %x, %y : tensor<$Nx$T>
  %2 = stablehlo.xor %x, %y : tensor<$Nx$T>
  %3 = stablehlo.not %2 : tensor<$Nx$T>
  return %0, %1, %2, %3 : tensor<$Nx$T>, tensor<$Nx$T>, tensor<$Nx$T>, tensor<$Nx$T>
}
