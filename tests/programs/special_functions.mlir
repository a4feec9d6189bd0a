module @jit_program attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<24xf32>) -> (tensor<24xf32> {jax.result_info = "result[0][0]"}, tensor<24xf32> {jax.result_info = "result[0][1]"}, tensor<24xf32> {jax.result_info = "result[0][2]"}, tensor<24xf32> {jax.result_info = "result[0][3]"}, tensor<24xf32> {jax.result_info = "result[0][4]"}, tensor<24xf32> {jax.result_info = "result[0][5]"}, tensor<24xf32> {jax.result_info = "result[0][6]"}, tensor<24xf32> {jax.result_info = "result[0][7]"}, tensor<24xf32> {jax.result_info = "result[0][8]"}, tensor<24xf32> {jax.result_info = "result[0][9]"}, tensor<24xf32> {jax.result_info = "result[0][10]"}, tensor<24xf32> {jax.result_info = "result[0][11]"}, tensor<24xf32> {jax.result_info = "result[0][12]"}, tensor<24xf32> {jax.result_info = "result[0][13]"}, tensor<24xf32> {jax.result_info = "result[0][14]"}, tensor<24xf32> {jax.result_info = "result[0][15]"}, tensor<24xbf16> {jax.result_info = "result[1][0]"}, tensor<24xbf16> {jax.result_info = "result[1][1]"}, tensor<24xbf16> {jax.result_info = "result[1][2]"}, tensor<24xbf16> {jax.result_info = "result[1][3]"}, tensor<24xbf16> {jax.result_info = "result[1][4]"}, tensor<24xbf16> {jax.result_info = "result[1][5]"}, tensor<24xbf16> {jax.result_info = "result[1][6]"}, tensor<24xbf16> {jax.result_info = "result[1][7]"}, tensor<24xbf16> {jax.result_info = "result[1][8]"}, tensor<24xbf16> {jax.result_info = "result[1][9]"}, tensor<24xbf16> {jax.result_info = "result[1][10]"}, tensor<24xbf16> {jax.result_info = "result[1][11]"}, tensor<24xbf16> {jax.result_info = "result[1][12]"}, tensor<24xbf16> {jax.result_info = "result[1][13]"}, tensor<24xbf16> {jax.result_info = "result[1][14]"}, tensor<24xbf16> {jax.result_info = "result[1][15]"}, tensor<24xf32> {jax.result_info = "result[2][0]"}, tensor<24xf32> {jax.result_info = "result[2][1]"}) {
    %0 = stablehlo.convert %arg0 : (tensor<24xf32>) -> tensor<24xbf16>
    %1 = stablehlo.tanh %0 : tensor<24xbf16>
    %2 = chlo.erf %0 : tensor<24xbf16> -> tensor<24xbf16>
    %3 = chlo.erfc %0 : tensor<24xbf16> -> tensor<24xbf16>
    %4 = chlo.erf_inv %1 : tensor<24xbf16> -> tensor<24xbf16>
    %5 = chlo.lgamma %0 : tensor<24xbf16> -> tensor<24xbf16>
    %6 = chlo.digamma %0 : tensor<24xbf16> -> tensor<24xbf16>
    %7 = chlo.bessel_i1e %0 : tensor<24xbf16> -> tensor<24xbf16>
    %8 = chlo.asin %1 : tensor<24xbf16> -> tensor<24xbf16>
    %9 = chlo.acos %1 : tensor<24xbf16> -> tensor<24xbf16>
    %10 = chlo.atan %0 : tensor<24xbf16> -> tensor<24xbf16>
    %11 = chlo.asinh %0 : tensor<24xbf16> -> tensor<24xbf16>
    %12 = stablehlo.abs %0 : tensor<24xbf16>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<bf16>
    %13 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<24xbf16>
    %14 = stablehlo.add %12, %13 : tensor<24xbf16>
    %15 = chlo.acosh %14 : tensor<24xbf16> -> tensor<24xbf16>
    %16 = chlo.atanh %1 : tensor<24xbf16> -> tensor<24xbf16>
    %17 = chlo.sinh %0 : tensor<24xbf16> -> tensor<24xbf16>
    %18 = chlo.cosh %0 : tensor<24xbf16> -> tensor<24xbf16>
    %19 = chlo.square %0 : tensor<24xbf16> -> tensor<24xbf16>
    %20 = stablehlo.reverse %0, dims = [0] : tensor<24xbf16>
    %21 = chlo.next_after %0, %20 : tensor<24xbf16>, tensor<24xbf16> -> tensor<24xbf16>
    %22 = stablehlo.iota dim = 0 : tensor<24xi32>
    %c = stablehlo.constant dense<4> : tensor<i32>
    %23 = call @remainder(%22, %c) : (tensor<24xi32>, tensor<i32>) -> tensor<24xi32>
    %24 = stablehlo.abs %arg0 : tensor<24xf32>
    %cst_0 = stablehlo.constant dense<1.500000e+00> : tensor<f32>
    %25 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %26 = stablehlo.add %24, %25 : tensor<24xf32>
    %27 = stablehlo.reverse %arg0, dims = [0] : tensor<24xf32>
    %28 = stablehlo.abs %27 : tensor<24xf32>
    %cst_1 = stablehlo.constant dense<2.500000e-01> : tensor<f32>
    %29 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %30 = stablehlo.add %28, %29 : tensor<24xf32>
    %31 = chlo.zeta %26, %30 : tensor<24xf32>, tensor<24xf32> -> tensor<24xf32>
    %32 = stablehlo.abs %arg0 : tensor<24xf32>
    %cst_2 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %33 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %34 = stablehlo.add %32, %33 : tensor<24xf32>
    %35 = stablehlo.convert %23 : (tensor<24xi32>) -> tensor<24xf32>
    %36 = chlo.polygamma %35, %34 : tensor<24xf32>, tensor<24xf32> -> tensor<24xf32>
    %37 = stablehlo.tanh %arg0 : tensor<24xf32>
    %38 = chlo.erf %arg0 : tensor<24xf32> -> tensor<24xf32>
    %39 = chlo.erfc %arg0 : tensor<24xf32> -> tensor<24xf32>
    %40 = chlo.erf_inv %37 : tensor<24xf32> -> tensor<24xf32>
    %41 = chlo.lgamma %arg0 : tensor<24xf32> -> tensor<24xf32>
    %42 = chlo.digamma %arg0 : tensor<24xf32> -> tensor<24xf32>
    %43 = chlo.bessel_i1e %arg0 : tensor<24xf32> -> tensor<24xf32>
    %44 = chlo.asin %37 : tensor<24xf32> -> tensor<24xf32>
    %45 = chlo.acos %37 : tensor<24xf32> -> tensor<24xf32>
    %46 = chlo.atan %arg0 : tensor<24xf32> -> tensor<24xf32>
    %47 = chlo.asinh %arg0 : tensor<24xf32> -> tensor<24xf32>
    %48 = stablehlo.abs %arg0 : tensor<24xf32>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %49 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %50 = stablehlo.add %48, %49 : tensor<24xf32>
    %51 = chlo.acosh %50 : tensor<24xf32> -> tensor<24xf32>
    %52 = chlo.atanh %37 : tensor<24xf32> -> tensor<24xf32>
    %53 = chlo.sinh %arg0 : tensor<24xf32> -> tensor<24xf32>
    %54 = chlo.cosh %arg0 : tensor<24xf32> -> tensor<24xf32>
    %55 = chlo.square %arg0 : tensor<24xf32> -> tensor<24xf32>
    %56 = stablehlo.reverse %arg0, dims = [0] : tensor<24xf32>
    %57 = chlo.next_after %arg0, %56 : tensor<24xf32>, tensor<24xf32> -> tensor<24xf32>
    return %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %51, %52, %53, %54, %55, %57, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %15, %16, %17, %18, %19, %21, %31, %36 : tensor<24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<24xbf16>, tensor<24xbf16>, tensor<24xbf16>, tensor<24xbf16>, tensor<24xbf16>, tensor<24xbf16>, tensor<24xbf16>, tensor<24xbf16>, tensor<24xbf16>, tensor<24xbf16>, tensor<24xbf16>, tensor<24xbf16>, tensor<24xbf16>, tensor<24xbf16>, tensor<24xbf16>, tensor<24xbf16>, tensor<24xf32>, tensor<24xf32>
  }
  func.func private @remainder(%arg0: tensor<24xi32>, %arg1: tensor<i32>) -> tensor<24xi32> {
    %0 = stablehlo.convert %arg1 : tensor<i32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.compare EQ, %0, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %2 = call @_where(%1, %c_0, %0) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<24xi32>
    %4 = stablehlo.remainder %arg0, %3 : tensor<24xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<24xi32>
    %6 = stablehlo.compare NE, %4, %5, SIGNED : (tensor<24xi32>, tensor<24xi32>) -> tensor<24xi1>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<24xi32>
    %8 = stablehlo.compare LT, %4, %7, SIGNED : (tensor<24xi32>, tensor<24xi32>) -> tensor<24xi1>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.compare LT, %2, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %10 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<i1>) -> tensor<24xi1>
    %11 = stablehlo.compare NE, %8, %10, UNSIGNED : (tensor<24xi1>, tensor<24xi1>) -> tensor<24xi1>
    %12 = stablehlo.and %11, %6 : tensor<24xi1>
    %13 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<24xi32>
    %14 = stablehlo.add %4, %13 : tensor<24xi32>
    %15 = stablehlo.select %12, %14, %4 : tensor<24xi1>, tensor<24xi32>
    return %15 : tensor<24xi32>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
}
