// fires: bf16 f16 f32 i8 i16 i32 ui8 ui16 ui32 i1 i4 ui4 f8E4M3FN f8E5M2 f8E4M3FNUZ f8E3M4
// never: f64 i64 complex
func.func @main(%x: tensor<$Nx$T>, %y: tensor<$Nx$T>) -> tensor<$Nx$T> {
  %0 = stablehlo.maximum %x, %y : tensor<$Nx$T>
  return %0 : tensor<$Nx$T>
}
