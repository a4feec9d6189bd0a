// pass: hlo-assign-layout
// A kernel reads its window in the other order; a dot in it needs no copy at all.
func.func @main(%x: tensor<64x128xf32>, %y: tensor<128x64xf32>, %w: tensor<64x64xf32>) -> (tensor<128x64xf32>, tensor<128x64xf32>) {
  %0 = hlo.transpose %x {permutation = array<i64: 1, 0>} : (tensor<64x128xf32>) -> tensor<128x64xf32>
  %1 = hlo.fusion %0, %y {kind = "kLoop"} : (tensor<128x64xf32>, tensor<128x64xf32>) -> tensor<128x64xf32> {
  ^bb0(%a: tensor<128x64xf32>, %b: tensor<128x64xf32>):
    %2 = hlo.add %a, %b : tensor<128x64xf32>
    %3 = hlo.exponential %2 : tensor<128x64xf32>
    hlo.return %3 : tensor<128x64xf32>
  }
  %4 = hlo.transpose %w {permutation = array<i64: 1, 0>} : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %5 = hlo.fusion %y, %4 {kind = "kOutput"} : (tensor<128x64xf32>, tensor<64x64xf32>) -> tensor<128x64xf32> {
  ^bb0(%a: tensor<128x64xf32>, %b: tensor<64x64xf32>):
    %6 = hlo.dot_general %a, %b {lhs_contracting_dimensions = array<i64: 1>, rhs_contracting_dimensions = array<i64: 0>} : (tensor<128x64xf32>, tensor<64x64xf32>) -> tensor<128x64xf32>
    %7 = hlo.tanh %6 : tensor<128x64xf32>
    hlo.return %7 : tensor<128x64xf32>
  }
  return %1, %5 : tensor<128x64xf32>, tensor<128x64xf32>
}
