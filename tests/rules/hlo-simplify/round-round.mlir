// fires: f4E2M1FN f6E3M2FN f8E3M4 f8E4M3 f8E4M3FN f8E4M3FNUZ f8E4M3B11FNUZ f8E5M2 f8E5M2FNUZ wide
// never: f6E2M3FN
func.func @main(%x: tensor<$Nx$T>) -> (tensor<$Nx$T>, tensor<$Nx$T>, tensor<$Nx$T>, tensor<$Nx$T>, tensor<$Nx$T>, tensor<$Nx$T>, tensor<$Nx$T>, tensor<$Nx$T>, tensor<$Nx$T>, tensor<$Nx$T>, tensor<$Nx$T>, tensor<$Nx$T>, tensor<$Nx$T>, tensor<$Nx$T>, tensor<$Nx$T>, tensor<$Nx$T>) {
  %g0 = stablehlo.floor %x : tensor<$Nx$T>
  %f0fr = stablehlo.floor %g0 : tensor<$Nx$T>
  %f0cl = stablehlo.ceil %g0 : tensor<$Nx$T>
  %f0rz = stablehlo.round_nearest_afz %g0 : tensor<$Nx$T>
  %f0rn = stablehlo.round_nearest_even %g0 : tensor<$Nx$T>
  %g1 = stablehlo.ceil %x : tensor<$Nx$T>
  %f1fr = stablehlo.floor %g1 : tensor<$Nx$T>
  %f1cl = stablehlo.ceil %g1 : tensor<$Nx$T>
  %f1rz = stablehlo.round_nearest_afz %g1 : tensor<$Nx$T>
  %f1rn = stablehlo.round_nearest_even %g1 : tensor<$Nx$T>
  %g2 = stablehlo.round_nearest_afz %x : tensor<$Nx$T>
  %f2fr = stablehlo.floor %g2 : tensor<$Nx$T>
  %f2cl = stablehlo.ceil %g2 : tensor<$Nx$T>
  %f2rz = stablehlo.round_nearest_afz %g2 : tensor<$Nx$T>
  %f2rn = stablehlo.round_nearest_even %g2 : tensor<$Nx$T>
  %g3 = stablehlo.round_nearest_even %x : tensor<$Nx$T>
  %f3fr = stablehlo.floor %g3 : tensor<$Nx$T>
  %f3cl = stablehlo.ceil %g3 : tensor<$Nx$T>
  %f3rz = stablehlo.round_nearest_afz %g3 : tensor<$Nx$T>
  %f3rn = stablehlo.round_nearest_even %g3 : tensor<$Nx$T>
  return %f0fr, %f0cl, %f0rz, %f0rn, %f1fr, %f1cl, %f1rz, %f1rn, %f2fr, %f2cl, %f2rz, %f2rn, %f3fr, %f3cl, %f3rz, %f3rn : tensor<$Nx$T>, tensor<$Nx$T>, tensor<$Nx$T>, tensor<$Nx$T>, tensor<$Nx$T>, tensor<$Nx$T>, tensor<$Nx$T>, tensor<$Nx$T>, tensor<$Nx$T>, tensor<$Nx$T>, tensor<$Nx$T>, tensor<$Nx$T>, tensor<$Nx$T>, tensor<$Nx$T>, tensor<$Nx$T>, tensor<$Nx$T>
}
