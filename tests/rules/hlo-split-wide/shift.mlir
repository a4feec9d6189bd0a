// fires: i64 ui64
// never: i32 ui32
// each: 0 1 7 31 32 33 40 63 64 65
func.func @main(%x: tensor<$Nx$T>, %y: tensor<$Nx$T>) -> (tensor<$Nx$T>, tensor<$Nx$T>, tensor<$Nx$T>, tensor<$Nx$T>) {
  %n = stablehlo.constant dense<$I> : tensor<$Nx$T>
  %0 = stablehlo.shift_left %x, %n : tensor<$Nx$T>
  %1 = stablehlo.shift_right_logical %x, %n : tensor<$Nx$T>
  %2 = stablehlo.shift_right_arithmetic %x, %n : tensor<$Nx$T>
  %3 = stablehlo.shift_left %x, %y : tensor<$Nx$T>
  return %0, %1, %2, %3 : tensor<$Nx$T>, tensor<$Nx$T>, tensor<$Nx$T>, tensor<$Nx$T>
}
