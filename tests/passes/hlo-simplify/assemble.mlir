// pass: hlo-simplify
// Padding by nothing, and concatenations of one, of nothing and of each other.
func.func @main(%x: tensor<3xf32>, %e: tensor<0xf32>, %v: tensor<f32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<9xf32>) {
  %0 = stablehlo.pad %x, %v, low = [0], high = [0], interior = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  %1 = stablehlo.concatenate %x, %e, dim = 0 : (tensor<3xf32>, tensor<0xf32>) -> tensor<3xf32>
  %2 = stablehlo.negate %x : tensor<3xf32>
  %3 = stablehlo.concatenate %2, %x, dim = 0 : (tensor<3xf32>, tensor<3xf32>) -> tensor<6xf32>
  %4 = stablehlo.concatenate %x, %3, dim = 0 : (tensor<3xf32>, tensor<6xf32>) -> tensor<9xf32>
  return %0, %1, %4 : tensor<3xf32>, tensor<3xf32>, tensor<9xf32>
}
