// pair: --contract unknown --level full: Miscompile
func.func @main(%x: tensor<8xf32>, %u: tensor<2xf32>, %v: tensor<2xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %i = stablehlo.constant dense<1> : tensor<i32>
  %j = stablehlo.constant dense<4> : tensor<i32>
  %a = stablehlo.dynamic_update_slice %x, %u, %i : (tensor<8xf32>, tensor<2xf32>, tensor<i32>) -> tensor<8xf32>
  %b = stablehlo.dynamic_update_slice %a, %v, %j : (tensor<8xf32>, tensor<2xf32>, tensor<i32>) -> tensor<8xf32>
  return %b, %b : tensor<8xf32>, tensor<8xf32>
}
