// pair: --contract unknown --level full: Equal
func.func @main(%x: tensor<10xf32>, %i: tensor<1xi32>, %v: tensor<f32>) -> tensor<10xf32> {
  %z = stablehlo.constant dense<0> : tensor<1xi32>
  %k = stablehlo.add %i, %z : tensor<1xi32>
  %r = "stablehlo.scatter"(%x, %k, %v) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>, indices_are_sorted = false, unique_indices = false}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<10xf32>, tensor<1xi32>, tensor<f32>) -> tensor<10xf32>
  return %r : tensor<10xf32>
}
