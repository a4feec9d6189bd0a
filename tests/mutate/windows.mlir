// mutators: reduce-window-shape reduce-init reducer-op
func.func @main(%x: tensor<4x9xf32>) -> tensor<7x5xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %z) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
  %1 = stablehlo.add %a, %b : tensor<f32>
  stablehlo.return %1 : tensor<f32>
  }) {window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 1, 2>, base_dilations = array<i64: 2, 1>, window_dilations = array<i64: 1, 2>, padding = dense<[[1, 0], [2, 2]]> : tensor<2x2xi64>} : (tensor<4x9xf32>, tensor<f32>) -> tensor<7x5xf32>
  return %0 : tensor<7x5xf32>
}
