// fires: floats i4 i8 i16 i32 i64 unsigned bool
// never: complex
func.func @main(%x: tensor<$Nx$T>) -> tensor<$Nx$T> {
  %c = stablehlo.constant dense<{1}> : tensor<$Nx$T>
  %0 = stablehlo.multiply %x, %c : tensor<$Nx$T>
  return %0 : tensor<$Nx$T>
}
