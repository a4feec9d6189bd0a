// fires: f32 f64
func.func @main(%z: tensor<$Nxcomplex<$T>>) -> tensor<$Nxcomplex<$T>> {
  %0 = stablehlo.real %z : (tensor<$Nxcomplex<$T>>) -> tensor<$Nx$T>
  %1 = stablehlo.imag %z : (tensor<$Nxcomplex<$T>>) -> tensor<$Nx$T>
  %2 = stablehlo.complex %0, %1 : tensor<$Nxcomplex<$T>>
  return %2 : tensor<$Nxcomplex<$T>>
}
