module @jit_solve attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<12x12xf32>, %arg1: tensor<12xf32>) -> (tensor<12xf32> {jax.result_info = "result[0]"}, tensor<f32> {jax.result_info = "result[1]"}, tensor<i32> {jax.result_info = "result[2]"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1:5 = stablehlo.while(%iterArg = %arg0, %iterArg_0 = %c, %iterArg_1 = %0, %iterArg_2 = %arg1, %iterArg_3 = %arg1) : tensor<12x12xf32>, tensor<i32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>
    cond {
      %c_4 = stablehlo.constant dense<40> : tensor<i32>
      %3 = stablehlo.compare LT, %iterArg_0, %c_4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %4 = stablehlo.dot_general %iterArg_2, %iterArg_2, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<12xf32>, tensor<12xf32>) -> tensor<f32>
      %cst_5 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
      %5 = stablehlo.compare GT, %4, %cst_5, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %c_6 = stablehlo.constant dense<false> : tensor<i1>
      %6 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<i1>) -> tensor<i1>
      %7 = stablehlo.compare NE, %3, %6, UNSIGNED : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %8 = stablehlo.convert %7 : tensor<i1>
      %9 = stablehlo.and %8, %5 : tensor<i1>
      stablehlo.return %9 : tensor<i1>
    } do {
      %3 = stablehlo.dot_general %iterArg, %iterArg_3, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<12x12xf32>, tensor<12xf32>) -> tensor<12xf32>
      %4 = stablehlo.dot_general %iterArg_2, %iterArg_2, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<12xf32>, tensor<12xf32>) -> tensor<f32>
      %5 = stablehlo.dot_general %iterArg_3, %3, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<12xf32>, tensor<12xf32>) -> tensor<f32>
      %6 = stablehlo.divide %4, %5 : tensor<f32>
      %7 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<f32>) -> tensor<12xf32>
      %8 = stablehlo.multiply %7, %iterArg_3 : tensor<12xf32>
      %9 = stablehlo.add %iterArg_1, %8 : tensor<12xf32>
      %10 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<f32>) -> tensor<12xf32>
      %11 = stablehlo.multiply %10, %3 : tensor<12xf32>
      %12 = stablehlo.subtract %iterArg_2, %11 : tensor<12xf32>
      %13 = stablehlo.dot_general %12, %12, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<12xf32>, tensor<12xf32>) -> tensor<f32>
      %14 = stablehlo.dot_general %iterArg_2, %iterArg_2, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<12xf32>, tensor<12xf32>) -> tensor<f32>
      %15 = stablehlo.divide %13, %14 : tensor<f32>
      %16 = stablehlo.broadcast_in_dim %15, dims = [] : (tensor<f32>) -> tensor<12xf32>
      %17 = stablehlo.multiply %16, %iterArg_3 : tensor<12xf32>
      %18 = stablehlo.add %12, %17 : tensor<12xf32>
      %c_4 = stablehlo.constant dense<1> : tensor<i32>
      %19 = stablehlo.add %iterArg_0, %c_4 : tensor<i32>
      stablehlo.return %iterArg, %19, %9, %12, %18 : tensor<12x12xf32>, tensor<i32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>
    }
    %2 = call @norm(%1#3) : (tensor<12xf32>) -> tensor<f32>
    return %1#2, %2, %1#1 : tensor<12xf32>, tensor<f32>, tensor<i32>
  }
  func.func private @norm(%arg0: tensor<12xf32>) -> tensor<f32> {
    %0 = stablehlo.multiply %arg0, %arg0 : tensor<12xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<12xf32>, tensor<f32>) -> tensor<f32>
    %2 = stablehlo.sqrt %1 : tensor<f32>
    return %2 : tensor<f32>
  }
}
