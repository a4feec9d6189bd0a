// pair: --contract strict --level full: Equal
func.func @main(%x: tensor<3x8xf32>) -> tensor<3xf32> {
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %0 = stablehlo.slice %x [0:3, 0:8:2] : (tensor<3x8xf32>) -> tensor<3x4xf32>
  %1 = stablehlo.reduce(%0 init: %one) applies stablehlo.multiply across dimensions = [1] : (tensor<3x4xf32>, tensor<f32>) -> tensor<3xf32>
  %2 = stablehlo.slice %x [0:3, 1:8:2] : (tensor<3x8xf32>) -> tensor<3x4xf32>
  %3 = stablehlo.reduce(%2 init: %one) applies stablehlo.multiply across dimensions = [1] : (tensor<3x4xf32>, tensor<f32>) -> tensor<3xf32>
  %r = stablehlo.multiply %1, %3 : tensor<3xf32>
  return %r : tensor<3xf32>
}
