// mutators: gather-dimensions index-clamp
func.func @main(%x: tensor<5x5xf32>, %i: tensor<6x2xi32>) -> tensor<6x3x3xf32> {
  %0 = "stablehlo.gather"(%x, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 3, 3>} : (tensor<5x5xf32>, tensor<6x2xi32>) -> tensor<6x3x3xf32>
  return %0 : tensor<6x3x3xf32>
}
