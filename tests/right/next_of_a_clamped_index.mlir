// i - 1 clamped, then + 1: the index again where it was in range.
func.func @main(%i: tensor<6xi32>, %x: tensor<12xf32>) -> tensor<6xf32> {
  %one = stablehlo.constant dense<1> : tensor<6xi32>
  %zero = stablehlo.constant dense<0> : tensor<6xi32>
  %last = stablehlo.constant dense<9> : tensor<6xi32>
  %size = stablehlo.constant dense<12> : tensor<6xi32>
  %down = stablehlo.subtract %i, %one : tensor<6xi32>
  %clamped = stablehlo.clamp %zero, %down, %last : tensor<6xi32>
  %next = stablehlo.add %clamped, %one : tensor<6xi32>
  %negative = stablehlo.compare LT, %next, %zero, SIGNED : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>
  %moved = stablehlo.add %next, %size : tensor<6xi32>
  %index = stablehlo.select %negative, %moved, %next : tensor<6xi1>, tensor<6xi32>
  %column = stablehlo.reshape %index : (tensor<6xi32>) -> tensor<6x1xi32>
  %r = "stablehlo.gather"(%x, %column) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<12xf32>, tensor<6x1xi32>) -> tensor<6xf32>
  return %r : tensor<6xf32>
}
