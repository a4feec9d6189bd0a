// pass: hlo-to-tpu(block-bytes=8192)
// Results of folds go back over their rows: rows are there in whole.
func.func @main(%a: tensor<40x100xf32>) -> tensor<40x100xf32> {
  %0 = hlo.fusion %a {kind = "kCustom"} : (tensor<40x100xf32>) -> tensor<40x100xf32> {
  ^bb0(%x: tensor<40x100xf32>):
    %z = hlo.constant dense<0.0> : tensor<f32>
    %1 = hlo.exponential %x : tensor<40x100xf32>
    %2 = hlo.reduce %1, %z {dimensions = array<i64: 1>} : (tensor<40x100xf32>, tensor<f32>) -> tensor<40xf32> {
    ^bb1(%p: tensor<f32>, %q: tensor<f32>):
      %s = hlo.add %p, %q : tensor<f32>
      hlo.return %s : tensor<f32>
    }
    %3 = hlo.broadcast_in_dim %2 {broadcast_dimensions = array<i64: 0>} : (tensor<40xf32>) -> tensor<40x100xf32>
    %4 = hlo.divide %1, %3 : tensor<40x100xf32>
    hlo.return %4 : tensor<40x100xf32>
  }
  return %0 : tensor<40x100xf32>
}
