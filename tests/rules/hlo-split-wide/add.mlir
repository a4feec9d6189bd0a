// fires: i64 ui64
// never: i32 ui32 f64
func.func @main(%x: tensor<$Nx$T>, %y: tensor<$Nx$T>) -> tensor<$Nx$T> {
  %0 = stablehlo.add %x, %y : tensor<$Nx$T>
  return %0 : tensor<$Nx$T>
}
