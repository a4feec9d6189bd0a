// fires: bf16 f16 f32 i8 i16 i32 ui8 ui16 ui32
func.func @main(%x: tensor<6x5x$T>, %i: tensor<4x1xi32>, %u: tensor<4x5x$T>) -> tensor<6x5x$T> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<$T>, %b: tensor<$T>):
    %1 = stablehlo.maximum %a, %b : tensor<$T>
    stablehlo.return %1 : tensor<$T>
  }) : (tensor<6x5x$T>, tensor<4x1xi32>, tensor<4x5x$T>) -> tensor<6x5x$T>
  return %0 : tensor<6x5x$T>
}
