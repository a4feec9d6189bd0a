// pass: hlo-canonicalize-dots --level full
// x y^T with NaN, infinities, signed zeros and subnormals.
func.func @main(%x: tensor<6x5xf32>, %y: tensor<4x5xf32>) -> tensor<6x4xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [1] : (tensor<6x5xf32>, tensor<4x5xf32>) -> tensor<6x4xf32>
  return %0 : tensor<6x4xf32>
}
