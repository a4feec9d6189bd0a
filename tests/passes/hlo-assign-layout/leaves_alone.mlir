// pass: hlo-assign-layout
// A module with layouts keeps them.
func.func @main(%x: tensor<4x8xf32, #hlo.layout<[0, 1]>>) -> tensor<8x4xf32> {
  %0 = hlo.copy %x : (tensor<4x8xf32, #hlo.layout<[0, 1]>>) -> tensor<4x8xf32>
  %1 = hlo.transpose %0 {permutation = array<i64: 1, 0>} : (tensor<4x8xf32>) -> tensor<8x4xf32>
  return %1 : tensor<8x4xf32>
}
