// pass: hlo-fuse
// A reduction takes in what makes its input, and what is made of its result.
func.func @main(%x: tensor<64x128xf32>, %y: tensor<64x128xf32>) -> tensor<64xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %n = stablehlo.constant dense<128.0> : tensor<64xf32>
  %0 = stablehlo.subtract %x, %y : tensor<64x128xf32>
  %1 = stablehlo.multiply %0, %0 : tensor<64x128xf32>
  %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<64x128xf32>, tensor<f32>) -> tensor<64xf32>
  %3 = stablehlo.divide %2, %n : tensor<64xf32>
  return %3 : tensor<64xf32>
}
