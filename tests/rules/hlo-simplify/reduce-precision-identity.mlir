// fires: f32
// never: f16 bf16 f64
func.func @main(%x: tensor<$Nx$T>) -> tensor<$Nx$T> {
  %0 = stablehlo.reduce_precision %x, format = e8m23 : tensor<$Nx$T>
  return %0 : tensor<$Nx$T>
}
