// fires: complex<f32>
// never: complex<f64> f32
func.func @main(%x: tensor<$Nx$T>, %y: tensor<$Nx$T>) -> (tensor<$Nx$T>, tensor<$Nx$T>) {
  %0 = stablehlo.add %x, %y : tensor<$Nx$T>
  %1 = stablehlo.subtract %x, %y : tensor<$Nx$T>
  %2 = stablehlo.negate %1 : tensor<$Nx$T>
  return %0, %2 : tensor<$Nx$T>, tensor<$Nx$T>
}
