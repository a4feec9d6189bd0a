// pair: --contract unknown --level full: Equal
func.func @main(%x: tensor<8xf32>) -> tensor<8xi32> {
  %i = stablehlo.iota dim = 0 : tensor<8xi32>
  %s:2 = "stablehlo.sort"(%x, %i) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>):
    %p = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }) : (tensor<8xf32>, tensor<8xi32>) -> (tensor<8xf32>, tensor<8xi32>)
  %z = stablehlo.constant dense<0> : tensor<8xi32>
  %k = stablehlo.reshape %s#1 : (tensor<8xi32>) -> tensor<8x1xi32>
  %q = "stablehlo.scatter"(%z, %k, %i) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, indices_are_sorted = false, unique_indices = false}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    stablehlo.return %b : tensor<i32>
  }) : (tensor<8xi32>, tensor<8x1xi32>, tensor<8xi32>) -> tensor<8xi32>
  %r = stablehlo.add %q, %i : tensor<8xi32>
  return %r : tensor<8xi32>
}
