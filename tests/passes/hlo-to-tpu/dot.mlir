// pass: hlo-to-tpu(block-bytes=65536)
// Three divided dimensions, the contracted one last, and an epilogue at its last step. Column 300 is beyond the end.
func.func @main(%a: tensor<100x300xf32>, %b: tensor<300x200xf32>) -> tensor<100x200xf32> {
  %0 = hlo.fusion %a, %b {kind = "kOutput"} : (tensor<100x300xf32>, tensor<300x200xf32>) -> tensor<100x200xf32> {
  ^bb0(%x: tensor<100x300xf32>, %y: tensor<300x200xf32>):
    %1 = hlo.dot_general %x, %y {lhs_batching_dimensions = array<i64>, rhs_batching_dimensions = array<i64>, lhs_contracting_dimensions = array<i64: 1>, rhs_contracting_dimensions = array<i64: 0>} : (tensor<100x300xf32>, tensor<300x200xf32>) -> tensor<100x200xf32>
    %2 = hlo.negate %1 : tensor<100x200xf32>
    hlo.return %2 : tensor<100x200xf32>
  }
  return %0 : tensor<100x200xf32>
}
