// block-bytes: 65536
// fault: f61 hlo-to-tpu combining-kind
func.func @main(%x: tensor<8x16xf32>) -> (tensor<f32>, tensor<8x16xf32>) {
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %one) applies stablehlo.multiply across dimensions = [0, 1] : (tensor<8x16xf32>, tensor<f32>) -> tensor<f32>
  %1 = stablehlo.clamp %zero, %x, %one : (tensor<f32>, tensor<8x16xf32>, tensor<f32>) -> tensor<8x16xf32>
  return %0, %1 : tensor<f32>, tensor<8x16xf32>
}
