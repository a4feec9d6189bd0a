// pass: hlo-simplify --level full
// Constant starts are clamped as the op clamps them: -3 to 0, 9 and the unsigned 4000000000 to the last place.
func.func @main(%x: tensor<5x6xf32>, %u: tensor<5x6xf32>, %e: tensor<0x6xf32>, %i: tensor<i32>) -> (tensor<2x2xf32>, tensor<2x2xf32>, tensor<5x6xf32>, tensor<5x6xf32>) {
  %low = stablehlo.constant dense<-3> : tensor<i32>
  %high = stablehlo.constant dense<9> : tensor<i32>
  %huge = stablehlo.constant dense<4000000000> : tensor<ui32>
  %0 = stablehlo.dynamic_slice %x, %low, %high, sizes = [2, 2] : (tensor<5x6xf32>, tensor<i32>, tensor<i32>) -> tensor<2x2xf32>
  %1 = stablehlo.dynamic_slice %x, %huge, %huge, sizes = [2, 2] : (tensor<5x6xf32>, tensor<ui32>, tensor<ui32>) -> tensor<2x2xf32>
  %2 = stablehlo.dynamic_slice %x, %i, %i, sizes = [5, 6] : (tensor<5x6xf32>, tensor<i32>, tensor<i32>) -> tensor<5x6xf32>
  %3 = stablehlo.dynamic_update_slice %2, %e, %i, %i : (tensor<5x6xf32>, tensor<0x6xf32>, tensor<i32>, tensor<i32>) -> tensor<5x6xf32>
  %4 = stablehlo.dynamic_update_slice %x, %u, %i, %i : (tensor<5x6xf32>, tensor<5x6xf32>, tensor<i32>, tensor<i32>) -> tensor<5x6xf32>
  return %0, %1, %3, %4 : tensor<2x2xf32>, tensor<2x2xf32>, tensor<5x6xf32>, tensor<5x6xf32>
}
