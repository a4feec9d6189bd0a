// pair: --contract unknown --level full: Equal
func.func @main(%x: tensor<4x6xf32>, %w: tensor<6x5xf32>) -> tensor<4x5xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %zeros = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
  %number = stablehlo.compare EQ, %x, %x, FLOAT : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
  %masked = stablehlo.select %number, %x, %zeros : tensor<4x6xi1>, tensor<4x6xf32>
  %scores = stablehlo.dot_general %masked, %w, contracting_dims = [1] x [0] : (tensor<4x6xf32>, tensor<6x5xf32>) -> tensor<4x5xf32>
  %exp = stablehlo.exponential %scores : tensor<4x5xf32>
  %sum = stablehlo.reduce(%exp init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x5xf32>, tensor<f32>) -> tensor<4xf32>
  %all = stablehlo.broadcast_in_dim %sum, dims = [0] : (tensor<4xf32>) -> tensor<4x5xf32>
  %share = stablehlo.divide %exp, %all : tensor<4x5xf32>
  return %share : tensor<4x5xf32>
}
