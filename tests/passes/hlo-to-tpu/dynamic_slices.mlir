// pass: hlo-to-tpu --level full
// Starts are scalars in SMEM, or computed from such, and are clamped.
func.func @main(%x: tensor<6x4xf32>, %u: tensor<2x4xf32>, %i: tensor<i32>) -> (tensor<6x4xf32>, tensor<3x4xf32>) {
  %z = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.dynamic_update_slice %x, %u, %i, %z : (tensor<6x4xf32>, tensor<2x4xf32>, tensor<i32>, tensor<i32>) -> tensor<6x4xf32>
  %1 = stablehlo.dynamic_slice %x, %i, %z, sizes = [3, 4] : (tensor<6x4xf32>, tensor<i32>, tensor<i32>) -> tensor<3x4xf32>
  return %0, %1 : tensor<6x4xf32>, tensor<3x4xf32>
}
