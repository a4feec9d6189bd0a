module @jit_program attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<9x7xf32>, %arg1: tensor<9xi32>, %arg2: tensor<5xi32>, %arg3: tensor<5x7xf32>, %arg4: tensor<i32>) -> (tensor<9xi32> {jax.result_info = "result[0][0]"}, tensor<9xf32> {jax.result_info = "result[0][1]"}, tensor<9x7xi32> {jax.result_info = "result[0][2]"}, tensor<9x3xf32> {jax.result_info = "result[0][3]"}, tensor<9x3xi32> {jax.result_info = "result[0][4]"}, tensor<5x7xf32> {jax.result_info = "result[0][5]"}, tensor<9x7xf32> {jax.result_info = "result[0][6]"}, tensor<9x7xf32> {jax.result_info = "result[0][7]"}, tensor<9x7xf32> {jax.result_info = "result[0][8]"}, tensor<4x7xf32> {jax.result_info = "result[0][9]"}, tensor<4x3xf32> {jax.result_info = "result[1][0]"}, tensor<9x7xf32> {jax.result_info = "result[1][1]"}, tensor<9x7xf32> {jax.result_info = "result[1][2]"}, tensor<5xi32> {jax.result_info = "result[1][3]"}, tensor<2xi32> {jax.result_info = "result[1][4]"}, tensor<9xi32> {jax.result_info = "result[1][5]"}, tensor<7xi32> {jax.result_info = "result[1][6]"}, tensor<9x7xf32> {jax.result_info = "result[1][7]"}) {
    %cst = stablehlo.constant dense<[-5.000000e-01, 5.000000e-01]> : tensor<2xf32>
    %0 = stablehlo.slice %arg0 [0:9, 0:1] : (tensor<9x7xf32>) -> tensor<9x1xf32>
    %1 = stablehlo.reshape %0 : (tensor<9x1xf32>) -> tensor<9xf32>
    %2:2 = "stablehlo.sort"(%arg1, %1) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg5: tensor<i32>, %arg6: tensor<i32>, %arg7: tensor<f32>, %arg8: tensor<f32>):
      %cst_24 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %69 = stablehlo.compare EQ, %arg7, %cst_24, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_25 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %70 = stablehlo.select %69, %cst_25, %arg7 : tensor<i1>, tensor<f32>
      %71 = stablehlo.compare NE, %arg7, %arg7, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_26 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %72 = stablehlo.select %71, %cst_26, %70 : tensor<i1>, tensor<f32>
      %cst_27 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %73 = stablehlo.compare EQ, %arg8, %cst_27, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_28 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %74 = stablehlo.select %73, %cst_28, %arg8 : tensor<i1>, tensor<f32>
      %75 = stablehlo.compare NE, %arg8, %arg8, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_29 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %76 = stablehlo.select %75, %cst_29, %74 : tensor<i1>, tensor<f32>
      %77 = stablehlo.compare LT, %72, %76, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %78 = stablehlo.compare LT, %arg5, %arg6, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %79 = stablehlo.compare EQ, %arg5, %arg6, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %80 = stablehlo.and %79, %77 : tensor<i1>
      %81 = stablehlo.or %78, %80 : tensor<i1>
      stablehlo.return %81 : tensor<i1>
    }) : (tensor<9xi32>, tensor<9xf32>) -> (tensor<9xi32>, tensor<9xf32>)
    %3 = call @argsort(%arg0) : (tensor<9x7xf32>) -> tensor<9x7xi32>
    %values, %indices = chlo.top_k(%arg0, k = 3) : tensor<9x7xf32> -> (tensor<9x3xf32>, tensor<9x3xi32>)
    %c = stablehlo.constant dense<0> : tensor<i32>
    %4 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<5xi32>
    %5 = stablehlo.compare LT, %arg2, %4, SIGNED : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi1>
    %c_0 = stablehlo.constant dense<9> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<5xi32>
    %7 = stablehlo.add %arg2, %6 : tensor<5xi32>
    %8 = stablehlo.select %5, %7, %arg2 : tensor<5xi1>, tensor<5xi32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0] : (tensor<5xi32>) -> tensor<5x1xi32>
    %c_1 = stablehlo.constant dense<8> : tensor<1xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %10 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<5x1xi32>
    %11 = stablehlo.compare GE, %9, %10, SIGNED : (tensor<5x1xi32>, tensor<5x1xi32>) -> tensor<5x1xi1>
    %12 = stablehlo.broadcast_in_dim %c_1, dims = [1] : (tensor<1xi32>) -> tensor<1x1xi32>
    %13 = stablehlo.broadcast_in_dim %12, dims = [0, 1] : (tensor<1x1xi32>) -> tensor<5x1xi32>
    %14 = stablehlo.compare LE, %9, %13, SIGNED : (tensor<5x1xi32>, tensor<5x1xi32>) -> tensor<5x1xi1>
    %15 = stablehlo.and %11, %14 : tensor<5x1xi1>
    %c_3 = stablehlo.constant dense<true> : tensor<i1>
    %16 = stablehlo.reduce(%15 init: %c_3) applies stablehlo.and across dimensions = [1] : (tensor<5x1xi1>, tensor<i1>) -> tensor<5xi1>
    %17 = "stablehlo.gather"(%arg0, %9) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 7>}> : (tensor<9x7xf32>, tensor<5x1xi32>) -> tensor<5x7xf32>
    %18 = stablehlo.broadcast_in_dim %16, dims = [0] : (tensor<5xi1>) -> tensor<5x7xi1>
    %cst_4 = stablehlo.constant dense<-1.000000e+00> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<5x7xf32>
    %20 = stablehlo.select %18, %17, %19 : tensor<5x7xi1>, tensor<5x7xf32>
    %21 = call @take_along_axis(%arg0, %3) : (tensor<9x7xf32>, tensor<9x7xi32>) -> tensor<9x7xf32>
    %c_5 = stablehlo.constant dense<0> : tensor<i32>
    %22 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<i32>) -> tensor<5xi32>
    %23 = stablehlo.compare LT, %arg2, %22, SIGNED : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi1>
    %c_6 = stablehlo.constant dense<9> : tensor<i32>
    %24 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<i32>) -> tensor<5xi32>
    %25 = stablehlo.add %arg2, %24 : tensor<5xi32>
    %26 = stablehlo.select %23, %25, %arg2 : tensor<5xi1>, tensor<5xi32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [0] : (tensor<5xi32>) -> tensor<5x1xi32>
    %28 = "stablehlo.scatter"(%arg0, %27, %arg3) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg5: tensor<f32>, %arg6: tensor<f32>):
      %69 = stablehlo.add %arg5, %arg6 : tensor<f32>
      stablehlo.return %69 : tensor<f32>
    }) : (tensor<9x7xf32>, tensor<5x1xi32>, tensor<5x7xf32>) -> tensor<9x7xf32>
    %29 = stablehlo.iota dim = 0 : tensor<4xi32>
    %c_7 = stablehlo.constant dense<2> : tensor<i32>
    %30 = stablehlo.broadcast_in_dim %c_7, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %31 = stablehlo.multiply %30, %29 : tensor<4xi32>
    %c_8 = stablehlo.constant dense<0> : tensor<i32>
    %32 = stablehlo.broadcast_in_dim %c_8, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %33 = stablehlo.add %32, %31 : tensor<4xi32>
    %34 = stablehlo.broadcast_in_dim %33, dims = [0] : (tensor<4xi32>) -> tensor<4x1xi32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %35 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<9x4xf32>
    %36 = "stablehlo.scatter"(%arg0, %34, %35) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [1], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>, unique_indices = true}> ({
    ^bb0(%arg5: tensor<f32>, %arg6: tensor<f32>):
      stablehlo.return %arg6 : tensor<f32>
    }) : (tensor<9x7xf32>, tensor<4x1xi32>, tensor<9x4xf32>) -> tensor<9x7xf32>
    %cst_10 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %37 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<4x7xf32>
    %38 = stablehlo.broadcast_in_dim %arg1, dims = [0] : (tensor<9xi32>) -> tensor<9x1xi32>
    %39 = "stablehlo.scatter"(%37, %38, %arg0) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg5: tensor<f32>, %arg6: tensor<f32>):
      %69 = stablehlo.minimum %arg5, %arg6 : tensor<f32>
      stablehlo.return %69 : tensor<f32>
    }) : (tensor<4x7xf32>, tensor<9x1xi32>, tensor<9x7xf32>) -> tensor<4x7xf32>
    %c_11 = stablehlo.constant dense<0> : tensor<i32>
    %40 = stablehlo.compare LT, %arg4, %c_11, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_12 = stablehlo.constant dense<9> : tensor<i32>
    %41 = stablehlo.add %arg4, %c_12 : tensor<i32>
    %42 = stablehlo.select %40, %41, %arg4 : tensor<i1>, tensor<i32>
    %c_13 = stablehlo.constant dense<0> : tensor<i32>
    %43 = stablehlo.compare LT, %arg4, %c_13, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_14 = stablehlo.constant dense<7> : tensor<i32>
    %44 = stablehlo.add %arg4, %c_14 : tensor<i32>
    %45 = stablehlo.select %43, %44, %arg4 : tensor<i1>, tensor<i32>
    %46 = stablehlo.dynamic_slice %arg0, %42, %45, sizes = [4, 3] : (tensor<9x7xf32>, tensor<i32>, tensor<i32>) -> tensor<4x3xf32>
    %cst_15 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %47 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<4x3xf32>
    %48 = stablehlo.multiply %46, %47 : tensor<4x3xf32>
    %c_16 = stablehlo.constant dense<0> : tensor<i32>
    %49 = stablehlo.compare LT, %arg4, %c_16, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_17 = stablehlo.constant dense<9> : tensor<i32>
    %50 = stablehlo.add %arg4, %c_17 : tensor<i32>
    %51 = stablehlo.select %49, %50, %arg4 : tensor<i1>, tensor<i32>
    %c_18 = stablehlo.constant dense<0> : tensor<i32>
    %52 = stablehlo.dynamic_update_slice %arg0, %48, %51, %c_18 : (tensor<9x7xf32>, tensor<4x3xf32>, tensor<i32>, tensor<i32>) -> tensor<9x7xf32>
    %53 = call @_flip(%arg0) : (tensor<9x7xf32>) -> tensor<9x7xf32>
    %54 = call @cumsum(%53) : (tensor<9x7xf32>) -> tensor<9x7xf32>
    %c_19 = stablehlo.constant dense<0> : tensor<i32>
    %55 = stablehlo.broadcast_in_dim %c_19, dims = [] : (tensor<i32>) -> tensor<5xi32>
    %c_20 = stablehlo.constant dense<0> : tensor<i32>
    %56 = call @clip(%arg1, %c_20) : (tensor<9xi32>, tensor<i32>) -> tensor<9xi32>
    %c_21 = stablehlo.constant dense<0> : tensor<i32>
    %57 = stablehlo.broadcast_in_dim %c_21, dims = [] : (tensor<i32>) -> tensor<9xi32>
    %58 = stablehlo.compare LT, %56, %57, SIGNED : (tensor<9xi32>, tensor<9xi32>) -> tensor<9xi1>
    %c_22 = stablehlo.constant dense<5> : tensor<i32>
    %59 = stablehlo.broadcast_in_dim %c_22, dims = [] : (tensor<i32>) -> tensor<9xi32>
    %60 = stablehlo.add %56, %59 : tensor<9xi32>
    %61 = stablehlo.select %58, %60, %56 : tensor<9xi1>, tensor<9xi32>
    %62 = stablehlo.broadcast_in_dim %61, dims = [0] : (tensor<9xi32>) -> tensor<9x1xi32>
    %c_23 = stablehlo.constant dense<1> : tensor<i32>
    %63 = stablehlo.broadcast_in_dim %c_23, dims = [] : (tensor<i32>) -> tensor<9xi32>
    %64 = "stablehlo.scatter"(%55, %62, %63) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg5: tensor<i32>, %arg6: tensor<i32>):
      %69 = stablehlo.add %arg5, %arg6 : tensor<i32>
      stablehlo.return %69 : tensor<i32>
    }) : (tensor<5xi32>, tensor<9x1xi32>, tensor<9xi32>) -> tensor<5xi32>
    %65 = call @searchsorted(%2#1, %cst) : (tensor<9xf32>, tensor<2xf32>) -> tensor<2xi32>
    %66 = call @argmax(%arg0) : (tensor<9x7xf32>) -> tensor<9xi32>
    %67 = call @argmin(%arg0) : (tensor<9x7xf32>) -> tensor<7xi32>
    %68 = call @_roll_static(%arg0) : (tensor<9x7xf32>) -> tensor<9x7xf32>
    return %2#0, %2#1, %3, %values, %indices, %20, %21, %28, %36, %39, %46, %52, %54, %64, %65, %66, %67, %68 : tensor<9xi32>, tensor<9xf32>, tensor<9x7xi32>, tensor<9x3xf32>, tensor<9x3xi32>, tensor<5x7xf32>, tensor<9x7xf32>, tensor<9x7xf32>, tensor<9x7xf32>, tensor<4x7xf32>, tensor<4x3xf32>, tensor<9x7xf32>, tensor<9x7xf32>, tensor<5xi32>, tensor<2xi32>, tensor<9xi32>, tensor<7xi32>, tensor<9x7xf32>
  }
  func.func private @argsort(%arg0: tensor<9x7xf32>) -> tensor<9x7xi32> {
    %0 = stablehlo.iota dim = 0 : tensor<9x7xi32>
    %1 = stablehlo.reverse %arg0, dims = [0] : tensor<9x7xf32>
    %2 = stablehlo.reverse %0, dims = [0] : tensor<9x7xi32>
    %3:2 = "stablehlo.sort"(%1, %2) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>, %arg3: tensor<i32>, %arg4: tensor<i32>):
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %5 = stablehlo.compare EQ, %arg1, %cst, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %6 = stablehlo.select %5, %cst_0, %arg1 : tensor<i1>, tensor<f32>
      %7 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_1 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %8 = stablehlo.select %7, %cst_1, %6 : tensor<i1>, tensor<f32>
      %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %9 = stablehlo.compare EQ, %arg2, %cst_2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %10 = stablehlo.select %9, %cst_3, %arg2 : tensor<i1>, tensor<f32>
      %11 = stablehlo.compare NE, %arg2, %arg2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_4 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %12 = stablehlo.select %11, %cst_4, %10 : tensor<i1>, tensor<f32>
      %13 = stablehlo.compare LT, %8, %12, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %13 : tensor<i1>
    }) : (tensor<9x7xf32>, tensor<9x7xi32>) -> (tensor<9x7xf32>, tensor<9x7xi32>)
    %4 = stablehlo.reverse %3#1, dims = [0] : tensor<9x7xi32>
    return %4 : tensor<9x7xi32>
  }
  func.func private @take_along_axis(%arg0: tensor<9x7xf32>, %arg1: tensor<9x7xi32>) -> tensor<9x7xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<9x7xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<9x7xi32>, tensor<9x7xi32>) -> tensor<9x7xi1>
    %c_0 = stablehlo.constant dense<9> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<9x7xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<9x7xi32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<9x7xi1>, tensor<9x7xi32>
    %5 = stablehlo.reshape %4 : (tensor<9x7xi32>) -> tensor<9x7x1xi32>
    %c_1 = stablehlo.constant dense<8> : tensor<1xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<9x7x1xi32>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<9x7x1xi32>, tensor<9x7x1xi32>) -> tensor<9x7x1xi1>
    %8 = stablehlo.broadcast_in_dim %c_1, dims = [2] : (tensor<1xi32>) -> tensor<1x1x1xi32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2] : (tensor<1x1x1xi32>) -> tensor<9x7x1xi32>
    %10 = stablehlo.compare LE, %5, %9, SIGNED : (tensor<9x7x1xi32>, tensor<9x7x1xi32>) -> tensor<9x7x1xi1>
    %11 = stablehlo.and %7, %10 : tensor<9x7x1xi1>
    %c_3 = stablehlo.constant dense<true> : tensor<i1>
    %12 = stablehlo.reduce(%11 init: %c_3) applies stablehlo.and across dimensions = [2] : (tensor<9x7x1xi1>, tensor<i1>) -> tensor<9x7xi1>
    %13 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], operand_batching_dims = [1], start_indices_batching_dims = [1], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<9x7xf32>, tensor<9x7x1xi32>) -> tensor<9x7xf32>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<9x7xf32>
    %15 = stablehlo.select %12, %13, %14 : tensor<9x7xi1>, tensor<9x7xf32>
    return %15 : tensor<9x7xf32>
  }
  func.func private @_flip(%arg0: tensor<9x7xf32>) -> tensor<9x7xf32> {
    %0 = stablehlo.reverse %arg0, dims = [1] : tensor<9x7xf32>
    return %0 : tensor<9x7xf32>
  }
  func.func private @cumsum(%arg0: tensor<9x7xf32>) -> tensor<9x7xf32> {
    %0 = call @cumsum_0(%arg0) : (tensor<9x7xf32>) -> tensor<9x7xf32>
    return %0 : tensor<9x7xf32>
  }
  func.func private @cumsum_0(%arg0: tensor<9x7xf32>) -> tensor<9x7xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<f32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1, 1>, padding = dense<[[0, 0], [6, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 7>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<9x7xf32>, tensor<f32>) -> tensor<9x7xf32>
    return %1 : tensor<9x7xf32>
  }
  func.func private @clip(%arg0: tensor<9xi32>, %arg1: tensor<i32>) -> tensor<9xi32> {
    %0 = stablehlo.convert %arg1 : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i32>) -> tensor<9xi32>
    %2 = stablehlo.maximum %1, %arg0 : tensor<9xi32>
    return %2 : tensor<9xi32>
  }
  func.func private @searchsorted(%arg0: tensor<9xf32>, %arg1: tensor<2xf32>) -> tensor<2xi32> {
    %0 = call @_searchsorted_scan_impl(%arg0, %arg1) : (tensor<9xf32>, tensor<2xf32>) -> tensor<2xi32>
    return %0 : tensor<2xi32>
  }
  func.func private @_searchsorted_scan_impl(%arg0: tensor<9xf32>, %arg1: tensor<2xf32>) -> tensor<2xi32> {
    %0 = call @_searchsorted_scan_impl_1(%arg0, %arg1) : (tensor<9xf32>, tensor<2xf32>) -> tensor<2xi32>
    return %0 : tensor<2xi32>
  }
  func.func private @_searchsorted_scan_impl_1(%arg0: tensor<9xf32>, %arg1: tensor<2xf32>) -> tensor<2xi32> {
    %c = stablehlo.constant dense<0> : tensor<ui32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %c_0 = stablehlo.constant dense<9> : tensor<ui32>
    %1 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %2:5 = stablehlo.while(%iterArg = %arg0, %iterArg_2 = %arg1, %iterArg_3 = %c_1, %iterArg_4 = %0, %iterArg_5 = %1) : tensor<9xf32>, tensor<2xf32>, tensor<i32>, tensor<2xui32>, tensor<2xui32>
    cond {
      %c_6 = stablehlo.constant dense<4> : tensor<i32>
      %4 = stablehlo.compare LT, %iterArg_3, %c_6, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %4 : tensor<i1>
    } do {
      %4:2 = func.call @closed_call(%iterArg, %iterArg_2, %iterArg_4, %iterArg_5) : (tensor<9xf32>, tensor<2xf32>, tensor<2xui32>, tensor<2xui32>) -> (tensor<2xui32>, tensor<2xui32>)
      %c_6 = stablehlo.constant dense<1> : tensor<i32>
      %5 = stablehlo.add %iterArg_3, %c_6 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_2, %5, %4#0, %4#1 : tensor<9xf32>, tensor<2xf32>, tensor<i32>, tensor<2xui32>, tensor<2xui32>
    }
    %3 = stablehlo.convert %2#4 : (tensor<2xui32>) -> tensor<2xi32>
    return %3 : tensor<2xi32>
  }
  func.func private @closed_call(%arg0: tensor<9xf32>, %arg1: tensor<2xf32>, %arg2: tensor<2xui32>, %arg3: tensor<2xui32>) -> (tensor<2xui32>, tensor<2xui32>) {
    %0 = stablehlo.subtract %arg3, %arg2 : tensor<2xui32>
    %c = stablehlo.constant dense<2> : tensor<i32>
    %1 = call @floor_divide(%0, %c) : (tensor<2xui32>, tensor<i32>) -> tensor<2xui32>
    %2 = stablehlo.add %arg2, %1 : tensor<2xui32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<2xui32>) -> tensor<2x1xui32>
    %4 = "stablehlo.gather"(%arg0, %3) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1>}> : (tensor<9xf32>, tensor<2x1xui32>) -> tensor<2x1xf32>
    %5 = stablehlo.reshape %4 : (tensor<2x1xf32>) -> tensor<2xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %7 = stablehlo.compare EQ, %arg1, %6, FLOAT : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %9 = stablehlo.select %7, %8, %arg1 : tensor<2xi1>, tensor<2xf32>
    %10 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
    %cst_1 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %12 = stablehlo.select %10, %11, %9 : tensor<2xi1>, tensor<2xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %14 = stablehlo.compare EQ, %5, %13, FLOAT : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %16 = stablehlo.select %14, %15, %5 : tensor<2xi1>, tensor<2xf32>
    %17 = stablehlo.compare NE, %5, %5, FLOAT : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
    %cst_4 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %19 = stablehlo.select %17, %18, %16 : tensor<2xi1>, tensor<2xf32>
    %20 = stablehlo.compare LE, %12, %19, TOTALORDER : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
    %21 = stablehlo.select %20, %arg2, %2 : tensor<2xi1>, tensor<2xui32>
    %22 = stablehlo.select %20, %2, %arg3 : tensor<2xi1>, tensor<2xui32>
    return %21, %22 : tensor<2xui32>, tensor<2xui32>
  }
  func.func private @floor_divide(%arg0: tensor<2xui32>, %arg1: tensor<i32>) -> tensor<2xui32> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<ui32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %2 = stablehlo.divide %arg0, %1 : tensor<2xui32>
    return %2 : tensor<2xui32>
  }
  func.func private @argmax(%arg0: tensor<9x7xf32>) -> tensor<9xi32> {
    %0 = stablehlo.iota dim = 1 : tensor<9x7xi32>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1:2 = stablehlo.reduce(%arg0 init: %cst), (%0 init: %c) across dimensions = [1] : (tensor<9x7xf32>, tensor<9x7xi32>, tensor<f32>, tensor<i32>) -> (tensor<9xf32>, tensor<9xi32>)
     reducer(%arg1: tensor<f32>, %arg3: tensor<f32>) (%arg2: tensor<i32>, %arg4: tensor<i32>)  {
      %2 = stablehlo.compare GT, %arg1, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %3 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %4 = stablehlo.or %2, %3 : tensor<i1>
      %5 = stablehlo.compare EQ, %arg1, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %6 = stablehlo.compare LT, %arg2, %arg4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %7 = stablehlo.and %5, %6 : tensor<i1>
      %8 = stablehlo.or %4, %7 : tensor<i1>
      %9 = stablehlo.select %4, %arg1, %arg3 : tensor<i1>, tensor<f32>
      %10 = stablehlo.select %8, %arg2, %arg4 : tensor<i1>, tensor<i32>
      stablehlo.return %9, %10 : tensor<f32>, tensor<i32>
    }
    return %1#1 : tensor<9xi32>
  }
  func.func private @argmin(%arg0: tensor<9x7xf32>) -> tensor<7xi32> {
    %0 = stablehlo.iota dim = 0 : tensor<9x7xi32>
    %cst = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1:2 = stablehlo.reduce(%arg0 init: %cst), (%0 init: %c) across dimensions = [0] : (tensor<9x7xf32>, tensor<9x7xi32>, tensor<f32>, tensor<i32>) -> (tensor<7xf32>, tensor<7xi32>)
     reducer(%arg1: tensor<f32>, %arg3: tensor<f32>) (%arg2: tensor<i32>, %arg4: tensor<i32>)  {
      %2 = stablehlo.compare LT, %arg1, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %3 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %4 = stablehlo.or %2, %3 : tensor<i1>
      %5 = stablehlo.compare EQ, %arg1, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %6 = stablehlo.compare LT, %arg2, %arg4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %7 = stablehlo.and %5, %6 : tensor<i1>
      %8 = stablehlo.or %4, %7 : tensor<i1>
      %9 = stablehlo.select %4, %arg1, %arg3 : tensor<i1>, tensor<f32>
      %10 = stablehlo.select %8, %arg2, %arg4 : tensor<i1>, tensor<i32>
      stablehlo.return %9, %10 : tensor<f32>, tensor<i32>
    }
    return %1#1 : tensor<7xi32>
  }
  func.func private @_roll_static(%arg0: tensor<9x7xf32>) -> tensor<9x7xf32> {
    %0 = stablehlo.slice %arg0 [7:9, 0:7] : (tensor<9x7xf32>) -> tensor<2x7xf32>
    %1 = stablehlo.slice %arg0 [0:7, 0:7] : (tensor<9x7xf32>) -> tensor<7x7xf32>
    %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<2x7xf32>, tensor<7x7xf32>) -> tensor<9x7xf32>
    return %2 : tensor<9x7xf32>
  }
}
