// mutators: scatter-dimensions scatter-clamp scatter-combine in-place-alias applied-twice
func.func @main(%x: tensor<5x5xf32>, %i: tensor<6x2xi32>, %u: tensor<6xf32>) -> tensor<5x5xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
  %1 = stablehlo.add %a, %b : tensor<f32>
  stablehlo.return %1 : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [], inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>} : (tensor<5x5xf32>, tensor<6x2xi32>, tensor<6xf32>) -> tensor<5x5xf32>
  %2 = stablehlo.multiply %x, %0 : tensor<5x5xf32>
  return %2 : tensor<5x5xf32>
}
