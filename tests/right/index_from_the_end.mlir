// A negative index counts from the end: where none is negative, `select` gives what it got.
func.func @main(%ids: tensor<3x5xi64>, %table: tensor<17x6xf32>) -> tensor<3x5x6xf32> {
  %zero = stablehlo.constant dense<0> : tensor<3x5xi64>
  %negative = stablehlo.compare LT, %ids, %zero, SIGNED : (tensor<3x5xi64>, tensor<3x5xi64>) -> tensor<3x5xi1>
  %size = stablehlo.constant dense<17> : tensor<3x5xi64>
  %moved = stablehlo.add %ids, %size : tensor<3x5xi64>
  %index = stablehlo.select %negative, %moved, %ids : tensor<3x5xi1>, tensor<3x5xi64>
  %narrow = stablehlo.convert %index : (tensor<3x5xi64>) -> tensor<3x5xi32>
  %column = stablehlo.reshape %narrow : (tensor<3x5xi32>) -> tensor<3x5x1xi32>
  %rows = "stablehlo.gather"(%table, %column) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, slice_sizes = array<i64: 1, 6>}> : (tensor<17x6xf32>, tensor<3x5x1xi32>) -> tensor<3x5x6xf32>
  return %rows : tensor<3x5x6xf32>
}
