// fires: i64 ui64
// never: i32 f64
func.func @main(%x: tensor<$Nx$T>) -> tensor<$Nx$T> {
  %0 = stablehlo.negate %x : tensor<$Nx$T>
  return %0 : tensor<$Nx$T>
}
