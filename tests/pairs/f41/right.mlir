// pair: --contract unknown --level full: Equal
func.func @main(%x: tensor<8x8x8xf32>, %u: tensor<2x2x2xf32>, %a: tensor<i32>, %b: tensor<i32>, %c: tensor<i32>) -> tensor<8x8x8xf32> {
  %0 = stablehlo.dynamic_update_slice %x, %u, %a, %b, %c : (tensor<8x8x8xf32>, tensor<2x2x2xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<8x8x8xf32>
  %r = stablehlo.dynamic_update_slice %0, %u, %a, %b, %c : (tensor<8x8x8xf32>, tensor<2x2x2xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<8x8x8xf32>
  return %r : tensor<8x8x8xf32>
}
