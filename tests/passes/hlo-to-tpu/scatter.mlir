// pass: hlo-to-tpu
// Updates in order; windows partly outside are moved inside and masked, others are dropped.
func.func @main(%x: tensor<6x5xf32>, %i: tensor<4x2xi32>, %u: tensor<4x3xf32>) -> tensor<6x5xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<6x5xf32>, tensor<4x2xi32>, tensor<4x3xf32>) -> tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}
