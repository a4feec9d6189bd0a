// pass: hlo-assign-layout --level full
// Moved bits are kept: NaN, infinities, signed zeros, subnormals.
func.func @main(%x: tensor<5x12xf32>, %y: tensor<12x5xf32>) -> tensor<5x5xf32> {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<5x12xf32>) -> tensor<12x5xf32>
  %1 = stablehlo.maximum %0, %y : tensor<12x5xf32>
  %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<12x5xf32>) -> tensor<5x12xf32>
  %3 = stablehlo.dot_general %2, %0, contracting_dims = [1] x [0] : (tensor<5x12xf32>, tensor<12x5xf32>) -> tensor<5x5xf32>
  return %3 : tensor<5x5xf32>
}
