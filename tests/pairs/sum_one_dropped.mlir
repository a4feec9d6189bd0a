module @sum {
  func.func public @main(%x: tensor<1000000xf32>) -> tensor<f32> {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %most = stablehlo.slice %x [0:999999] : (tensor<1000000xf32>) -> tensor<999999xf32>
    %sum = stablehlo.reduce(%most init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<999999xf32>, tensor<f32>) -> tensor<f32>
    return %sum : tensor<f32>
  }
}
