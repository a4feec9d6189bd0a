// pair: --contract xla: Equal
func.func @main(%x: tensor<6x5xf32>, %v: tensor<1x5xf32>, %i: tensor<1x1xi32>) -> (tensor<6x5xf32>, tensor<6x5xbf16>) {
  %a = "stablehlo.scatter"(%x, %i, %v) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<6x5xf32>, tensor<1x1xi32>, tensor<1x5xf32>) -> tensor<6x5xf32>
  %xb = stablehlo.convert %x : (tensor<6x5xf32>) -> tensor<6x5xbf16>
  %vb = stablehlo.convert %v : (tensor<1x5xf32>) -> tensor<1x5xbf16>
  %xf = stablehlo.convert %xb : (tensor<6x5xbf16>) -> tensor<6x5xf32>
  %vf = stablehlo.convert %vb : (tensor<1x5xbf16>) -> tensor<1x5xf32>
  %f = "stablehlo.scatter"(%xf, %i, %vf) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<6x5xf32>, tensor<1x1xi32>, tensor<1x5xf32>) -> tensor<6x5xf32>
  %b = stablehlo.convert %f : (tensor<6x5xf32>) -> tensor<6x5xbf16>
  return %a, %b : tensor<6x5xf32>, tensor<6x5xbf16>
}
