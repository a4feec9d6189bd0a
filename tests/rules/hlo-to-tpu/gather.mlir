// fires: bf16 f16 f32 i8 i16 i32 ui8 ui16 ui32
func.func @main(%x: tensor<9x5x$T>, %i: tensor<7x1xi32>) -> tensor<7x5x$T> {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 5>}> : (tensor<9x5x$T>, tensor<7x1xi32>) -> tensor<7x5x$T>
  return %0 : tensor<7x5x$T>
}
