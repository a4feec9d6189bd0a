// pair: --contract xla: Equal
func.func @main(%u: tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>) {
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %low = stablehlo.constant dense<1.17549435E-38> : tensor<f32>
  %1 = stablehlo.broadcast_in_dim %one, dims = [] : (tensor<f32>) -> tensor<5xf32>
  %2 = stablehlo.multiply %u, %1 : tensor<5xf32>
  %3 = stablehlo.broadcast_in_dim %low, dims = [] : (tensor<f32>) -> tensor<5xf32>
  %4 = stablehlo.add %2, %3 : tensor<5xf32>
  %5 = stablehlo.log %4 : tensor<5xf32>
  %6 = stablehlo.broadcast_in_dim %one, dims = [] : (tensor<f32>) -> tensor<5xf32>
  %7 = stablehlo.add %u, %6 : tensor<5xf32>
  return %5, %7 : tensor<5xf32>, tensor<5xf32>
}
