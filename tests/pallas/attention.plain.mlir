module @jit_plain_attention attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x16x128xbf16>, %arg1: tensor<2x16x128xbf16>, %arg2: tensor<2x16x128xbf16>) -> (tensor<2x16x128xbf16> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<5.000000e-01> : tensor<bf16>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<2x16x128xbf16>
    %1 = stablehlo.multiply %arg0, %0 : tensor<2x16x128xbf16>
    %2 = stablehlo.dot_general %1, %arg1, batching_dims = [0] x [0], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<2x16x128xbf16>, tensor<2x16x128xbf16>) -> tensor<2x16x16xf32>
    %3 = stablehlo.iota dim = 1 : tensor<2x16x16xi32>
    %4 = stablehlo.iota dim = 2 : tensor<2x16x16xi32>
    %5 = stablehlo.compare GE, %3, %4, SIGNED : (tensor<2x16x16xi32>, tensor<2x16x16xi32>) -> tensor<2x16x16xi1>
    %cst_0 = stablehlo.constant dense<-1.000000e+30> : tensor<f32>
    %6 = call @_where(%5, %2, %cst_0) : (tensor<2x16x16xi1>, tensor<2x16x16xf32>, tensor<f32>) -> tensor<2x16x16xf32>
    %cst_1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_1) applies stablehlo.maximum across dimensions = [2] : (tensor<2x16x16xf32>, tensor<f32>) -> tensor<2x16xf32>
    %cst_2 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<2x16xf32>
    %9 = stablehlo.maximum %8, %7 : tensor<2x16xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<2x16xf32>) -> tensor<2x16x1xf32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0, 1, 2] : (tensor<2x16x1xf32>) -> tensor<2x16x16xf32>
    %12 = stablehlo.subtract %6, %11 : tensor<2x16x16xf32>
    %13 = stablehlo.exponential %12 : tensor<2x16x16xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %14 = stablehlo.reduce(%13 init: %cst_3) applies stablehlo.add across dimensions = [2] : (tensor<2x16x16xf32>, tensor<f32>) -> tensor<2x16xf32>
    %15 = stablehlo.broadcast_in_dim %14, dims = [0, 1] : (tensor<2x16xf32>) -> tensor<2x16x1xf32>
    %16 = stablehlo.broadcast_in_dim %15, dims = [0, 1, 2] : (tensor<2x16x1xf32>) -> tensor<2x16x16xf32>
    %17 = stablehlo.divide %13, %16 : tensor<2x16x16xf32>
    %18 = stablehlo.convert %17 : (tensor<2x16x16xf32>) -> tensor<2x16x16xbf16>
    %19 = stablehlo.dot_general %18, %arg2, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x16x16xbf16>, tensor<2x16x128xbf16>) -> tensor<2x16x128xf32>
    %20 = stablehlo.convert %19 : (tensor<2x16x128xf32>) -> tensor<2x16x128xbf16>
    %21 = stablehlo.add %20, %arg2 : tensor<2x16x128xbf16>
    return %21 : tensor<2x16x128xbf16>
  }
  func.func private @_where(%arg0: tensor<2x16x16xi1>, %arg1: tensor<2x16x16xf32>, %arg2: tensor<f32>) -> tensor<2x16x16xf32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<2x16x16xf32>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<2x16x16xi1>, tensor<2x16x16xf32>
    return %2 : tensor<2x16x16xf32>
  }
}
