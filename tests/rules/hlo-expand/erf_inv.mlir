// fires: bf16 f16 f32 f64
func.func @main(%x: tensor<$Nx$T>) -> tensor<$Nx$T> {
  %0 = chlo.erf_inv %x : tensor<$Nx$T> -> tensor<$Nx$T>
  return %0 : tensor<$Nx$T>
}
