// fires: f32 f64
func.func @main(%x: tensor<$Nx$T>, %y: tensor<$Nx$T>) -> tensor<$Nx$T> {
  %0 = stablehlo.complex %x, %y : tensor<$Nxcomplex<$T>>
  %1 = stablehlo.imag %0 : (tensor<$Nxcomplex<$T>>) -> tensor<$Nx$T>
  return %1 : tensor<$Nx$T>
}
