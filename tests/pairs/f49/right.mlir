// pair: --contract unknown --level full: Equal
func.func @main(%x: tensor<6xf32>, %v: tensor<f32>) -> tensor<8xf32> {
  %b = stablehlo.broadcast_in_dim %v, dims = [] : (tensor<f32>) -> tensor<8xf32>
  %i = stablehlo.constant dense<1> : tensor<i32>
  %r = stablehlo.dynamic_update_slice %b, %x, %i : (tensor<8xf32>, tensor<6xf32>, tensor<i32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}
