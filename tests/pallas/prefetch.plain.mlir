module @jit_plain_prefetch attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3xi32>, %arg1: tensor<40x128xf32>) -> (tensor<24x128xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.reshape %arg1 : (tensor<40x128xf32>) -> tensor<5x8x128xf32>
    %1 = call @_take(%0, %arg0) : (tensor<5x8x128xf32>, tensor<3xi32>) -> tensor<3x8x128xf32>
    %2 = stablehlo.iota dim = 1 : tensor<3x8x128xi32>
    %3 = stablehlo.broadcast_in_dim %arg0, dims = [0] : (tensor<3xi32>) -> tensor<3x1x1xi32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2] : (tensor<3x1x1xi32>) -> tensor<3x8x128xi32>
    %5 = stablehlo.compare LT, %2, %4, SIGNED : (tensor<3x8x128xi32>, tensor<3x8x128xi32>) -> tensor<3x8x128xi1>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = call @_where(%5, %1, %cst) : (tensor<3x8x128xi1>, tensor<3x8x128xf32>, tensor<f32>) -> tensor<3x8x128xf32>
    %7 = stablehlo.broadcast_in_dim %arg0, dims = [0] : (tensor<3xi32>) -> tensor<3x1x1xi32>
    %8 = stablehlo.convert %7 : (tensor<3x1x1xi32>) -> tensor<3x1x1xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2] : (tensor<3x1x1xf32>) -> tensor<3x8x128xf32>
    %10 = stablehlo.multiply %6, %9 : tensor<3x8x128xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.reduce(%1 init: %cst_0) applies stablehlo.add across dimensions = [2] : (tensor<3x8x128xf32>, tensor<f32>) -> tensor<3x8xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0, 1] : (tensor<3x8xf32>) -> tensor<3x8x1xf32>
    %13 = stablehlo.broadcast_in_dim %12, dims = [0, 1, 2] : (tensor<3x8x1xf32>) -> tensor<3x8x128xf32>
    %14 = stablehlo.add %10, %13 : tensor<3x8x128xf32>
    %15 = stablehlo.reshape %14 : (tensor<3x8x128xf32>) -> tensor<24x128xf32>
    return %15 : tensor<24x128xf32>
  }
  func.func private @_take(%arg0: tensor<5x8x128xf32>, %arg1: tensor<3xi32>) -> tensor<3x8x128xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [0] : (tensor<3xi32>) -> tensor<3x1xi32>
    %1 = "stablehlo.gather"(%arg0, %0) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 8, 128>}> : (tensor<5x8x128xf32>, tensor<3x1xi32>) -> tensor<3x8x128xf32>
    return %1 : tensor<3x8x128xf32>
  }
  func.func private @_where(%arg0: tensor<3x8x128xi1>, %arg1: tensor<3x8x128xf32>, %arg2: tensor<f32>) -> tensor<3x8x128xf32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<3x8x128xf32>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<3x8x128xi1>, tensor<3x8x128xf32>
    return %2 : tensor<3x8x128xf32>
  }
}
