// fires: floats i4 i8 i16 i32 ui8 ui16 ui32 bool
// never: i64 ui64
func.func @main(%x: tensor<$Nx$T>) -> tensor<$Nx$T> {
  %0 = stablehlo.convert %x : (tensor<$Nx$T>) -> tensor<$Nxf64>
  %1 = stablehlo.convert %0 : (tensor<$Nxf64>) -> tensor<$Nx$T>
  return %1 : tensor<$Nx$T>
}
