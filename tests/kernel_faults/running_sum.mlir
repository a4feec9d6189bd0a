// block-bytes: 65536
// fault: f90 hlo-to-tpu part-offset
// fault: f90 hlo-to-tpu vector-other-value
func.func @main(%x: tensor<4x150xf32>) -> tensor<4x150xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 1, 150>, padding = dense<[[0, 0], [149, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x150xf32>, tensor<f32>) -> tensor<4x150xf32>
  return %0 : tensor<4x150xf32>
}
