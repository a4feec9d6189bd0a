// pass: hlo-to-tpu --level full
// A window of 2x2 that moves by 2: the largest of four strided parts.
func.func @main(%x: tensor<2x10x12x3xf32>) -> tensor<2x5x6x3xf32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %low) <{window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<2x10x12x3xf32>, tensor<f32>) -> tensor<2x5x6x3xf32>
  return %0 : tensor<2x5x6x3xf32>
}
