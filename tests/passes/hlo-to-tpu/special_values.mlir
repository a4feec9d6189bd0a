// pass: hlo-to-tpu --level full
// NaN, infinities, -0 and subnormals go through blocks as they are.
func.func @main(%x: tensor<3x5xf32>, %low: tensor<f32>) -> (tensor<3x5xf32>, tensor<3x5xi1>) {
  %0 = stablehlo.negate %x : tensor<3x5xf32>
  %1 = stablehlo.clamp %low, %0, %x : (tensor<f32>, tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %2 = stablehlo.is_finite %x : (tensor<3x5xf32>) -> tensor<3x5xi1>
  return %1, %2 : tensor<3x5xf32>, tensor<3x5xi1>
}
