// mutators: reduce-init reduce-dimensions reduce-tail reducer-op narrow-accumulation
func.func @main(%x: tensor<6x6xf32>, %y: tensor<50x2xf32>) -> (tensor<6xf32>, tensor<50xf32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %m = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [1] : (tensor<6x6xf32>, tensor<f32>) -> tensor<6xf32>
  %1 = stablehlo.reduce(%y init: %m) applies stablehlo.maximum across dimensions = [1] : (tensor<50x2xf32>, tensor<f32>) -> tensor<50xf32>
  return %0, %1 : tensor<6xf32>, tensor<50xf32>
}
