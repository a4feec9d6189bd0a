// fires: bf16 f16 f32 i8 i16 i32 ui8 ui16 ui32
// never: f64 i64 complex
func.func @main(%x: tensor<$Nx$T>, %y: tensor<$Nx$T>) -> tensor<$Nx$T> {
  %0 = stablehlo.multiply %x, %y : tensor<$Nx$T>
  %1 = stablehlo.add %0, %x : tensor<$Nx$T>
  %2 = stablehlo.reverse %1, dims = [0] : tensor<$Nx$T>
  return %2 : tensor<$Nx$T>
}
