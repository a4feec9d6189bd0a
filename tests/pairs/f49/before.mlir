// the fill of a pad written after the interior
func.func @main(%x: tensor<6xf32>, %v: tensor<f32>) -> tensor<8xf32> {
  %r = stablehlo.pad %x, %v, low = [1], high = [1], interior = [0] : (tensor<6xf32>, tensor<f32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}
