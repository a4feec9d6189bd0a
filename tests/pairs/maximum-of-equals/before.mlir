// the largest of numbers, equal ones among them, in one step and in two; a slip that looks at the first alone
func.func @main(%x: tensor<4096xf32>, %y: tensor<4096xf32>) -> tensor<f32> {
  %i = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %p = stablehlo.multiply %x, %y : tensor<4096xf32>
  %r = stablehlo.reduce(%p init: %i) applies stablehlo.maximum across dimensions = [0] : (tensor<4096xf32>, tensor<f32>) -> tensor<f32>
  return %r : tensor<f32>
}
