// fires: bf16 f16 f32 i8 i16 i32 ui8 ui16 ui32
func.func @main(%x: tensor<$Nx$T>, %y: tensor<$Nx$T>) -> (tensor<$Nx$T>, tensor<$Nx$T>, tensor<$Nx$T>) {
  %0 = stablehlo.add %x, %y : tensor<$Nx$T>
  %1 = stablehlo.multiply %0, %y : tensor<$Nx$T>
  %2 = stablehlo.minimum %x, %y : tensor<$Nx$T>
  return %1, %0, %2 : tensor<$Nx$T>, tensor<$Nx$T>, tensor<$Nx$T>
}
