module @jit_program attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x5xf32>, %arg1: tensor<3x5xi32>, %arg2: tensor<3x5xi1>) -> (tensor<3x5xf16> {jax.result_info = "result[0][0]"}, tensor<3x5xf8E4M3FN> {jax.result_info = "result[0][1]"}, tensor<3x5xf8E5M2> {jax.result_info = "result[0][2]"}, tensor<3x5xf32> {jax.result_info = "result[0][3]"}, tensor<3x5xbf16> {jax.result_info = "result[0][4]"}, tensor<3x5xf8E4M3FN> {jax.result_info = "result[0][5]"}, tensor<3x5xf8E5M2> {jax.result_info = "result[0][6]"}, tensor<3x5xf32> {jax.result_info = "result[0][7]"}, tensor<3x5xbf16> {jax.result_info = "result[0][8]"}, tensor<3x5xf16> {jax.result_info = "result[0][9]"}, tensor<3x5xf8E5M2> {jax.result_info = "result[0][10]"}, tensor<3x5xf32> {jax.result_info = "result[0][11]"}, tensor<3x5xbf16> {jax.result_info = "result[0][12]"}, tensor<3x5xf16> {jax.result_info = "result[0][13]"}, tensor<3x5xf8E4M3FN> {jax.result_info = "result[0][14]"}, tensor<3x5xf32> {jax.result_info = "result[0][15]"}, tensor<3x5xbf16> {jax.result_info = "result[0][16]"}, tensor<3x5xf16> {jax.result_info = "result[0][17]"}, tensor<3x5xf8E4M3FN> {jax.result_info = "result[0][18]"}, tensor<3x5xf8E5M2> {jax.result_info = "result[0][19]"}, tensor<bf16> {jax.result_info = "result[1][0]"}, tensor<f16> {jax.result_info = "result[1][1]"}, tensor<f8E4M3FN> {jax.result_info = "result[1][2]"}, tensor<f8E5M2> {jax.result_info = "result[1][3]"}, tensor<f32> {jax.result_info = "result[1][4]"}, tensor<3x3xf32> {jax.result_info = "result[2][0]"}, tensor<3x3xf32> {jax.result_info = "result[2][1]"}, tensor<3x5xi8> {jax.result_info = "result[3][0]"}, tensor<3x5xui8> {jax.result_info = "result[3][1]"}, tensor<3x5xi16> {jax.result_info = "result[3][2]"}, tensor<3x5xui16> {jax.result_info = "result[3][3]"}, tensor<3x5xi32> {jax.result_info = "result[3][4]"}, tensor<3x5xui32> {jax.result_info = "result[3][5]"}, tensor<3x5xi8> {jax.result_info = "result[4][0]"}, tensor<3x5xui8> {jax.result_info = "result[4][1]"}, tensor<3x5xi32> {jax.result_info = "result[4][2]"}, tensor<3x3xi32> {jax.result_info = "result[5]"}, tensor<3x5xi32> {jax.result_info = "result[6][0]"}, tensor<3x5xi32> {jax.result_info = "result[6][1]"}, tensor<3x5xi32> {jax.result_info = "result[6][2]"}, tensor<3x5xi32> {jax.result_info = "result[7][0]"}, tensor<3x5xi32> {jax.result_info = "result[7][1]"}, tensor<3x5xi32> {jax.result_info = "result[7][2]"}, tensor<3x5xi32> {jax.result_info = "result[7][3]"}, tensor<3x5xi32> {jax.result_info = "result[7][4]"}, tensor<3x5xi32> {jax.result_info = "result[7][5]"}, tensor<3x5xi32> {jax.result_info = "result[8][0]"}, tensor<3x5xui16> {jax.result_info = "result[8][1]"}, tensor<3x5xcomplex<f32>> {jax.result_info = "result[9][0]"}, tensor<3x5xf32> {jax.result_info = "result[9][1]"}, tensor<3x5xf32> {jax.result_info = "result[9][2]"}, tensor<3x5xf32> {jax.result_info = "result[9][3]"}, tensor<3x5xcomplex<f32>> {jax.result_info = "result[9][4]"}, tensor<3x3xcomplex<f32>> {jax.result_info = "result[9][5]"}, tensor<3x5xf32> {jax.result_info = "result[10][0]"}, tensor<3x5xf32> {jax.result_info = "result[10][1]"}, tensor<3x5xf32> {jax.result_info = "result[10][2]"}, tensor<3x5xf32> {jax.result_info = "result[10][3]"}, tensor<3x5xi8> {jax.result_info = "result[10][4]"}, tensor<3x5xf32> {jax.result_info = "result[10][5]"}, tensor<3x5xi1> {jax.result_info = "result[11][0]"}, tensor<3x5xi1> {jax.result_info = "result[11][1]"}, tensor<3x5xf16> {jax.result_info = "result[11][2]"}, tensor<3xi1> {jax.result_info = "result[11][3]"}, tensor<3x5xi1> {jax.result_info = "result[12][0]"}, tensor<3x5xf32> {jax.result_info = "result[12][1]"}, tensor<3x5xi32> {jax.result_info = "result[12][2]"}, tensor<3x5xf32> {jax.result_info = "result[12][3]"}) {
    %0 = stablehlo.convert %arg0 : (tensor<3x5xf32>) -> tensor<3x5xbf16>
    %1 = stablehlo.convert %0 : (tensor<3x5xbf16>) -> tensor<3x5xf16>
    %2 = stablehlo.convert %arg0 : (tensor<3x5xf32>) -> tensor<3x5xbf16>
    %3 = stablehlo.convert %2 : (tensor<3x5xbf16>) -> tensor<3x5xf8E4M3FN>
    %4 = stablehlo.convert %arg0 : (tensor<3x5xf32>) -> tensor<3x5xbf16>
    %5 = stablehlo.convert %4 : (tensor<3x5xbf16>) -> tensor<3x5xf8E5M2>
    %6 = stablehlo.convert %arg0 : (tensor<3x5xf32>) -> tensor<3x5xbf16>
    %7 = stablehlo.convert %6 : (tensor<3x5xbf16>) -> tensor<3x5xf32>
    %8 = stablehlo.convert %arg0 : (tensor<3x5xf32>) -> tensor<3x5xf16>
    %9 = stablehlo.convert %8 : (tensor<3x5xf16>) -> tensor<3x5xbf16>
    %10 = stablehlo.convert %arg0 : (tensor<3x5xf32>) -> tensor<3x5xf16>
    %11 = stablehlo.convert %10 : (tensor<3x5xf16>) -> tensor<3x5xf8E4M3FN>
    %12 = stablehlo.convert %arg0 : (tensor<3x5xf32>) -> tensor<3x5xf16>
    %13 = stablehlo.convert %12 : (tensor<3x5xf16>) -> tensor<3x5xf8E5M2>
    %14 = stablehlo.convert %arg0 : (tensor<3x5xf32>) -> tensor<3x5xf16>
    %15 = stablehlo.convert %14 : (tensor<3x5xf16>) -> tensor<3x5xf32>
    %16 = stablehlo.convert %arg0 : (tensor<3x5xf32>) -> tensor<3x5xf8E4M3FN>
    %17 = stablehlo.convert %16 : (tensor<3x5xf8E4M3FN>) -> tensor<3x5xbf16>
    %18 = stablehlo.convert %arg0 : (tensor<3x5xf32>) -> tensor<3x5xf8E4M3FN>
    %19 = stablehlo.convert %18 : (tensor<3x5xf8E4M3FN>) -> tensor<3x5xf16>
    %20 = stablehlo.convert %arg0 : (tensor<3x5xf32>) -> tensor<3x5xf8E4M3FN>
    %21 = stablehlo.convert %20 : (tensor<3x5xf8E4M3FN>) -> tensor<3x5xf8E5M2>
    %22 = stablehlo.convert %arg0 : (tensor<3x5xf32>) -> tensor<3x5xf8E4M3FN>
    %23 = stablehlo.convert %22 : (tensor<3x5xf8E4M3FN>) -> tensor<3x5xf32>
    %24 = stablehlo.convert %arg0 : (tensor<3x5xf32>) -> tensor<3x5xf8E5M2>
    %25 = stablehlo.convert %24 : (tensor<3x5xf8E5M2>) -> tensor<3x5xbf16>
    %26 = stablehlo.convert %arg0 : (tensor<3x5xf32>) -> tensor<3x5xf8E5M2>
    %27 = stablehlo.convert %26 : (tensor<3x5xf8E5M2>) -> tensor<3x5xf16>
    %28 = stablehlo.convert %arg0 : (tensor<3x5xf32>) -> tensor<3x5xf8E5M2>
    %29 = stablehlo.convert %28 : (tensor<3x5xf8E5M2>) -> tensor<3x5xf8E4M3FN>
    %30 = stablehlo.convert %arg0 : (tensor<3x5xf32>) -> tensor<3x5xf8E5M2>
    %31 = stablehlo.convert %30 : (tensor<3x5xf8E5M2>) -> tensor<3x5xf32>
    %32 = stablehlo.convert %arg0 : (tensor<3x5xf32>) -> tensor<3x5xbf16>
    %33 = stablehlo.convert %arg0 : (tensor<3x5xf32>) -> tensor<3x5xf16>
    %34 = stablehlo.convert %arg0 : (tensor<3x5xf32>) -> tensor<3x5xf8E4M3FN>
    %35 = stablehlo.convert %arg0 : (tensor<3x5xf32>) -> tensor<3x5xf8E5M2>
    %36 = stablehlo.convert %arg0 : (tensor<3x5xf32>) -> tensor<3x5xbf16>
    %37 = stablehlo.convert %arg0 : (tensor<3x5xf32>) -> tensor<3x5xbf16>
    %38 = stablehlo.multiply %36, %37 : tensor<3x5xbf16>
    %39 = stablehlo.convert %arg0 : (tensor<3x5xf32>) -> tensor<3x5xbf16>
    %40 = stablehlo.add %38, %39 : tensor<3x5xbf16>
    %41 = stablehlo.convert %40 : (tensor<3x5xbf16>) -> tensor<3x5xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %42 = stablehlo.reduce(%41 init: %cst) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x5xf32>, tensor<f32>) -> tensor<f32>
    %43 = stablehlo.convert %42 : (tensor<f32>) -> tensor<bf16>
    %44 = stablehlo.convert %arg0 : (tensor<3x5xf32>) -> tensor<3x5xf16>
    %45 = stablehlo.convert %arg0 : (tensor<3x5xf32>) -> tensor<3x5xf16>
    %46 = stablehlo.multiply %44, %45 : tensor<3x5xf16>
    %47 = stablehlo.convert %arg0 : (tensor<3x5xf32>) -> tensor<3x5xf16>
    %48 = stablehlo.add %46, %47 : tensor<3x5xf16>
    %49 = stablehlo.convert %48 : (tensor<3x5xf16>) -> tensor<3x5xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %50 = stablehlo.reduce(%49 init: %cst_0) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x5xf32>, tensor<f32>) -> tensor<f32>
    %51 = stablehlo.convert %50 : (tensor<f32>) -> tensor<f16>
    %52 = stablehlo.convert %arg0 : (tensor<3x5xf32>) -> tensor<3x5xf8E4M3FN>
    %53 = stablehlo.convert %arg0 : (tensor<3x5xf32>) -> tensor<3x5xf8E4M3FN>
    %54 = stablehlo.multiply %52, %53 : tensor<3x5xf8E4M3FN>
    %55 = stablehlo.convert %arg0 : (tensor<3x5xf32>) -> tensor<3x5xf8E4M3FN>
    %56 = stablehlo.add %54, %55 : tensor<3x5xf8E4M3FN>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f8E4M3FN>
    %57 = stablehlo.reduce(%56 init: %cst_1) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x5xf8E4M3FN>, tensor<f8E4M3FN>) -> tensor<f8E4M3FN>
    %58 = stablehlo.convert %arg0 : (tensor<3x5xf32>) -> tensor<3x5xf8E5M2>
    %59 = stablehlo.convert %arg0 : (tensor<3x5xf32>) -> tensor<3x5xf8E5M2>
    %60 = stablehlo.multiply %58, %59 : tensor<3x5xf8E5M2>
    %61 = stablehlo.convert %arg0 : (tensor<3x5xf32>) -> tensor<3x5xf8E5M2>
    %62 = stablehlo.add %60, %61 : tensor<3x5xf8E5M2>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f8E5M2>
    %63 = stablehlo.reduce(%62 init: %cst_2) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x5xf8E5M2>, tensor<f8E5M2>) -> tensor<f8E5M2>
    %64 = stablehlo.multiply %arg0, %arg0 : tensor<3x5xf32>
    %65 = stablehlo.add %64, %arg0 : tensor<3x5xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %66 = stablehlo.reduce(%65 init: %cst_3) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x5xf32>, tensor<f32>) -> tensor<f32>
    %67 = stablehlo.convert %arg0 : (tensor<3x5xf32>) -> tensor<3x5xbf16>
    %68 = stablehlo.convert %arg0 : (tensor<3x5xf32>) -> tensor<3x5xbf16>
    %69 = stablehlo.transpose %68, dims = [1, 0] : (tensor<3x5xbf16>) -> tensor<5x3xbf16>
    %70 = stablehlo.dot_general %67, %69, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x5xbf16>, tensor<5x3xbf16>) -> tensor<3x3xf32>
    %71 = stablehlo.convert %arg0 : (tensor<3x5xf32>) -> tensor<3x5xf16>
    %72 = stablehlo.convert %arg0 : (tensor<3x5xf32>) -> tensor<3x5xf16>
    %73 = stablehlo.transpose %72, dims = [1, 0] : (tensor<3x5xf16>) -> tensor<5x3xf16>
    %74 = stablehlo.dot_general %71, %73, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x5xf16>, tensor<5x3xf16>) -> tensor<3x3xf32>
    %75 = stablehlo.convert %arg1 : (tensor<3x5xi32>) -> tensor<3x5xi8>
    %c = stablehlo.constant dense<37> : tensor<i8>
    %76 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i8>) -> tensor<3x5xi8>
    %77 = stablehlo.multiply %75, %76 : tensor<3x5xi8>
    %c_4 = stablehlo.constant dense<100> : tensor<i8>
    %78 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i8>) -> tensor<3x5xi8>
    %79 = stablehlo.add %77, %78 : tensor<3x5xi8>
    %80 = stablehlo.convert %arg1 : (tensor<3x5xi32>) -> tensor<3x5xui8>
    %c_5 = stablehlo.constant dense<37> : tensor<ui8>
    %81 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<ui8>) -> tensor<3x5xui8>
    %82 = stablehlo.multiply %80, %81 : tensor<3x5xui8>
    %c_6 = stablehlo.constant dense<100> : tensor<ui8>
    %83 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<ui8>) -> tensor<3x5xui8>
    %84 = stablehlo.add %82, %83 : tensor<3x5xui8>
    %85 = stablehlo.convert %arg1 : (tensor<3x5xi32>) -> tensor<3x5xi16>
    %c_7 = stablehlo.constant dense<37> : tensor<i16>
    %86 = stablehlo.broadcast_in_dim %c_7, dims = [] : (tensor<i16>) -> tensor<3x5xi16>
    %87 = stablehlo.multiply %85, %86 : tensor<3x5xi16>
    %c_8 = stablehlo.constant dense<100> : tensor<i16>
    %88 = stablehlo.broadcast_in_dim %c_8, dims = [] : (tensor<i16>) -> tensor<3x5xi16>
    %89 = stablehlo.add %87, %88 : tensor<3x5xi16>
    %90 = stablehlo.convert %arg1 : (tensor<3x5xi32>) -> tensor<3x5xui16>
    %c_9 = stablehlo.constant dense<37> : tensor<ui16>
    %91 = stablehlo.broadcast_in_dim %c_9, dims = [] : (tensor<ui16>) -> tensor<3x5xui16>
    %92 = stablehlo.multiply %90, %91 : tensor<3x5xui16>
    %c_10 = stablehlo.constant dense<100> : tensor<ui16>
    %93 = stablehlo.broadcast_in_dim %c_10, dims = [] : (tensor<ui16>) -> tensor<3x5xui16>
    %94 = stablehlo.add %92, %93 : tensor<3x5xui16>
    %c_11 = stablehlo.constant dense<37> : tensor<i32>
    %95 = stablehlo.broadcast_in_dim %c_11, dims = [] : (tensor<i32>) -> tensor<3x5xi32>
    %96 = stablehlo.multiply %arg1, %95 : tensor<3x5xi32>
    %c_12 = stablehlo.constant dense<100> : tensor<i32>
    %97 = stablehlo.broadcast_in_dim %c_12, dims = [] : (tensor<i32>) -> tensor<3x5xi32>
    %98 = stablehlo.add %96, %97 : tensor<3x5xi32>
    %99 = stablehlo.convert %arg1 : (tensor<3x5xi32>) -> tensor<3x5xui32>
    %c_13 = stablehlo.constant dense<37> : tensor<ui32>
    %100 = stablehlo.broadcast_in_dim %c_13, dims = [] : (tensor<ui32>) -> tensor<3x5xui32>
    %101 = stablehlo.multiply %99, %100 : tensor<3x5xui32>
    %c_14 = stablehlo.constant dense<100> : tensor<ui32>
    %102 = stablehlo.broadcast_in_dim %c_14, dims = [] : (tensor<ui32>) -> tensor<3x5xui32>
    %103 = stablehlo.add %101, %102 : tensor<3x5xui32>
    %104 = stablehlo.convert %arg1 : (tensor<3x5xi32>) -> tensor<3x5xi8>
    %c_15 = stablehlo.constant dense<7> : tensor<i32>
    %105 = call @floor_divide(%104, %c_15) : (tensor<3x5xi8>, tensor<i32>) -> tensor<3x5xi8>
    %106 = stablehlo.convert %arg1 : (tensor<3x5xi32>) -> tensor<3x5xi8>
    %c_16 = stablehlo.constant dense<5> : tensor<i32>
    %107 = call @remainder(%106, %c_16) : (tensor<3x5xi8>, tensor<i32>) -> tensor<3x5xi8>
    %108 = stablehlo.add %105, %107 : tensor<3x5xi8>
    %109 = stablehlo.convert %arg1 : (tensor<3x5xi32>) -> tensor<3x5xui8>
    %c_17 = stablehlo.constant dense<7> : tensor<i32>
    %110 = call @floor_divide_1(%109, %c_17) : (tensor<3x5xui8>, tensor<i32>) -> tensor<3x5xui8>
    %111 = stablehlo.convert %arg1 : (tensor<3x5xi32>) -> tensor<3x5xui8>
    %c_18 = stablehlo.constant dense<5> : tensor<i32>
    %112 = call @remainder_2(%111, %c_18) : (tensor<3x5xui8>, tensor<i32>) -> tensor<3x5xui8>
    %113 = stablehlo.add %110, %112 : tensor<3x5xui8>
    %c_19 = stablehlo.constant dense<7> : tensor<i32>
    %114 = call @floor_divide_4(%arg1, %c_19) : (tensor<3x5xi32>, tensor<i32>) -> tensor<3x5xi32>
    %c_20 = stablehlo.constant dense<5> : tensor<i32>
    %115 = call @remainder_6(%arg1, %c_20) : (tensor<3x5xi32>, tensor<i32>) -> tensor<3x5xi32>
    %116 = stablehlo.add %114, %115 : tensor<3x5xi32>
    %117 = stablehlo.convert %arg1 : (tensor<3x5xi32>) -> tensor<3x5xi8>
    %118 = stablehlo.convert %arg1 : (tensor<3x5xi32>) -> tensor<3x5xi8>
    %119 = stablehlo.transpose %118, dims = [1, 0] : (tensor<3x5xi8>) -> tensor<5x3xi8>
    %120 = stablehlo.dot_general %117, %119, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x5xi8>, tensor<5x3xi8>) -> tensor<3x3xi32>
    %c_21 = stablehlo.constant dense<3> : tensor<i32>
    %121 = stablehlo.broadcast_in_dim %c_21, dims = [] : (tensor<i32>) -> tensor<3x5xi32>
    %122 = stablehlo.shift_left %arg1, %121 : tensor<3x5xi32>
    %c_22 = stablehlo.constant dense<2> : tensor<i32>
    %123 = stablehlo.broadcast_in_dim %c_22, dims = [] : (tensor<i32>) -> tensor<3x5xi32>
    %124 = stablehlo.shift_right_arithmetic %arg1, %123 : tensor<3x5xi32>
    %c_23 = stablehlo.constant dense<4> : tensor<i32>
    %125 = stablehlo.broadcast_in_dim %c_23, dims = [] : (tensor<i32>) -> tensor<3x5xi32>
    %126 = stablehlo.shift_right_logical %arg1, %125 : tensor<3x5xi32>
    %127 = stablehlo.popcnt %arg1 : tensor<3x5xi32>
    %128 = stablehlo.count_leading_zeros %arg1 : tensor<3x5xi32>
    %129 = stablehlo.not %arg1 : tensor<3x5xi32>
    %c_24 = stablehlo.constant dense<85> : tensor<i32>
    %130 = stablehlo.broadcast_in_dim %c_24, dims = [] : (tensor<i32>) -> tensor<3x5xi32>
    %131 = stablehlo.xor %arg1, %130 : tensor<3x5xi32>
    %c_25 = stablehlo.constant dense<15> : tensor<i32>
    %132 = stablehlo.broadcast_in_dim %c_25, dims = [] : (tensor<i32>) -> tensor<3x5xi32>
    %133 = stablehlo.and %arg1, %132 : tensor<3x5xi32>
    %c_26 = stablehlo.constant dense<64> : tensor<i32>
    %134 = stablehlo.broadcast_in_dim %c_26, dims = [] : (tensor<i32>) -> tensor<3x5xi32>
    %135 = stablehlo.or %arg1, %134 : tensor<3x5xi32>
    %136 = stablehlo.bitcast_convert %arg0 : (tensor<3x5xf32>) -> tensor<3x5xi32>
    %137 = stablehlo.convert %arg0 : (tensor<3x5xf32>) -> tensor<3x5xbf16>
    %138 = stablehlo.bitcast_convert %137 : (tensor<3x5xbf16>) -> tensor<3x5xui16>
    %139 = stablehlo.negate %arg0 : tensor<3x5xf32>
    %140 = stablehlo.complex %arg0, %139 : tensor<3x5xcomplex<f32>>
    %141 = stablehlo.multiply %140, %140 : tensor<3x5xcomplex<f32>>
    %142 = stablehlo.abs %140 : (tensor<3x5xcomplex<f32>>) -> tensor<3x5xf32>
    %143 = stablehlo.real %140 : (tensor<3x5xcomplex<f32>>) -> tensor<3x5xf32>
    %144 = stablehlo.imag %140 : (tensor<3x5xcomplex<f32>>) -> tensor<3x5xf32>
    %145 = stablehlo.real %140 : (tensor<3x5xcomplex<f32>>) -> tensor<3x5xf32>
    %146 = stablehlo.imag %140 : (tensor<3x5xcomplex<f32>>) -> tensor<3x5xf32>
    %147 = stablehlo.negate %146 : tensor<3x5xf32>
    %148 = stablehlo.complex %145, %147 : tensor<3x5xcomplex<f32>>
    %cst_27 = stablehlo.constant dense<(2.000000e+00,0.000000e+00)> : tensor<complex<f32>>
    %149 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<complex<f32>>) -> tensor<3x5xcomplex<f32>>
    %150 = stablehlo.add %140, %149 : tensor<3x5xcomplex<f32>>
    %151 = stablehlo.divide %148, %150 : tensor<3x5xcomplex<f32>>
    %152 = stablehlo.transpose %140, dims = [1, 0] : (tensor<3x5xcomplex<f32>>) -> tensor<5x3xcomplex<f32>>
    %153 = stablehlo.dot_general %140, %152, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x5xcomplex<f32>>, tensor<5x3xcomplex<f32>>) -> tensor<3x3xcomplex<f32>>
    %cst_28 = stablehlo.constant dense<5.000000e+00> : tensor<f32>
    %154 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<3x5xf32>
    %155 = stablehlo.multiply %arg0, %154 : tensor<3x5xf32>
    %156 = call @round(%155) : (tensor<3x5xf32>) -> tensor<3x5xf32>
    %157 = stablehlo.floor %arg0 : tensor<3x5xf32>
    %158 = stablehlo.ceil %arg0 : tensor<3x5xf32>
    %159 = stablehlo.sign %arg0 : tensor<3x5xf32>
    %cst_29 = stablehlo.constant dense<4.000000e+01> : tensor<f32>
    %160 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<3x5xf32>
    %161 = stablehlo.multiply %arg0, %160 : tensor<3x5xf32>
    %162 = stablehlo.convert %161 : (tensor<3x5xf32>) -> tensor<3x5xi8>
    %163 = stablehlo.reduce_precision %arg0, format = e5m4 : tensor<3x5xf32>
    %cst_30 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %164 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<3x5xf32>
    %165 = stablehlo.compare GT, %arg0, %164, FLOAT : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xi1>
    %166 = stablehlo.and %arg2, %165 : tensor<3x5xi1>
    %cst_31 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %167 = stablehlo.broadcast_in_dim %cst_31, dims = [] : (tensor<f32>) -> tensor<3x5xf32>
    %168 = stablehlo.compare LT, %arg0, %167, FLOAT : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xi1>
    %169 = stablehlo.xor %arg2, %168 : tensor<3x5xi1>
    %170 = stablehlo.convert %arg2 : (tensor<3x5xi1>) -> tensor<3x5xf16>
    %c_32 = stablehlo.constant dense<false> : tensor<i1>
    %171 = stablehlo.reduce(%arg2 init: %c_32) applies stablehlo.or across dimensions = [1] : (tensor<3x5xi1>, tensor<i1>) -> tensor<3xi1>
    %cst_33 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %172 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f32>) -> tensor<3x5xf32>
    %173 = stablehlo.divide %arg0, %172 : tensor<3x5xf32>
    %174 = stablehlo.is_finite %173 : (tensor<3x5xf32>) -> tensor<3x5xi1>
    %cst_34 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %175 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f32>) -> tensor<3x5xf32>
    %176 = stablehlo.maximum %arg0, %175 : tensor<3x5xf32>
    %c_35 = stablehlo.constant dense<-5> : tensor<i32>
    %c_36 = stablehlo.constant dense<90> : tensor<i32>
    %177 = call @clip(%arg1, %c_35, %c_36) : (tensor<3x5xi32>, tensor<i32>, tensor<i32>) -> tensor<3x5xi32>
    %cst_37 = stablehlo.constant dense<-0.000000e+00> : tensor<f32>
    %178 = call @_where_8(%arg2, %arg0, %cst_37) : (tensor<3x5xi1>, tensor<3x5xf32>, tensor<f32>) -> tensor<3x5xf32>
    return %1, %3, %5, %7, %9, %11, %13, %15, %17, %19, %21, %23, %25, %27, %29, %31, %32, %33, %34, %35, %43, %51, %57, %63, %66, %70, %74, %79, %84, %89, %94, %98, %103, %108, %113, %116, %120, %122, %124, %126, %127, %128, %129, %131, %133, %135, %136, %138, %141, %142, %143, %144, %151, %153, %156, %157, %158, %159, %162, %163, %166, %169, %170, %171, %174, %176, %177, %178 : tensor<3x5xf16>, tensor<3x5xf8E4M3FN>, tensor<3x5xf8E5M2>, tensor<3x5xf32>, tensor<3x5xbf16>, tensor<3x5xf8E4M3FN>, tensor<3x5xf8E5M2>, tensor<3x5xf32>, tensor<3x5xbf16>, tensor<3x5xf16>, tensor<3x5xf8E5M2>, tensor<3x5xf32>, tensor<3x5xbf16>, tensor<3x5xf16>, tensor<3x5xf8E4M3FN>, tensor<3x5xf32>, tensor<3x5xbf16>, tensor<3x5xf16>, tensor<3x5xf8E4M3FN>, tensor<3x5xf8E5M2>, tensor<bf16>, tensor<f16>, tensor<f8E4M3FN>, tensor<f8E5M2>, tensor<f32>, tensor<3x3xf32>, tensor<3x3xf32>, tensor<3x5xi8>, tensor<3x5xui8>, tensor<3x5xi16>, tensor<3x5xui16>, tensor<3x5xi32>, tensor<3x5xui32>, tensor<3x5xi8>, tensor<3x5xui8>, tensor<3x5xi32>, tensor<3x3xi32>, tensor<3x5xi32>, tensor<3x5xi32>, tensor<3x5xi32>, tensor<3x5xi32>, tensor<3x5xi32>, tensor<3x5xi32>, tensor<3x5xi32>, tensor<3x5xi32>, tensor<3x5xi32>, tensor<3x5xi32>, tensor<3x5xui16>, tensor<3x5xcomplex<f32>>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xcomplex<f32>>, tensor<3x3xcomplex<f32>>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xi8>, tensor<3x5xf32>, tensor<3x5xi1>, tensor<3x5xi1>, tensor<3x5xf16>, tensor<3xi1>, tensor<3x5xi1>, tensor<3x5xf32>, tensor<3x5xi32>, tensor<3x5xf32>
  }
  func.func private @floor_divide(%arg0: tensor<3x5xi8>, %arg1: tensor<i32>) -> tensor<3x5xi8> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<i8>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i8>) -> tensor<3x5xi8>
    %2 = stablehlo.divide %arg0, %1 : tensor<3x5xi8>
    %3 = stablehlo.sign %arg0 : tensor<3x5xi8>
    %4 = stablehlo.sign %0 : tensor<i8>
    %5 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<i8>) -> tensor<3x5xi8>
    %6 = stablehlo.compare NE, %3, %5, SIGNED : (tensor<3x5xi8>, tensor<3x5xi8>) -> tensor<3x5xi1>
    %7 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i8>) -> tensor<3x5xi8>
    %8 = stablehlo.remainder %arg0, %7 : tensor<3x5xi8>
    %c = stablehlo.constant dense<0> : tensor<i8>
    %9 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i8>) -> tensor<3x5xi8>
    %10 = stablehlo.compare NE, %8, %9, SIGNED : (tensor<3x5xi8>, tensor<3x5xi8>) -> tensor<3x5xi1>
    %11 = stablehlo.and %6, %10 : tensor<3x5xi1>
    %c_0 = stablehlo.constant dense<1> : tensor<i8>
    %12 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i8>) -> tensor<3x5xi8>
    %13 = stablehlo.subtract %2, %12 : tensor<3x5xi8>
    %14 = call @_where(%11, %13, %2) : (tensor<3x5xi1>, tensor<3x5xi8>, tensor<3x5xi8>) -> tensor<3x5xi8>
    return %14 : tensor<3x5xi8>
  }
  func.func private @_where(%arg0: tensor<3x5xi1>, %arg1: tensor<3x5xi8>, %arg2: tensor<3x5xi8>) -> tensor<3x5xi8> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<3x5xi1>, tensor<3x5xi8>
    return %0 : tensor<3x5xi8>
  }
  func.func private @remainder(%arg0: tensor<3x5xi8>, %arg1: tensor<i32>) -> tensor<3x5xi8> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<i8>
    %c = stablehlo.constant dense<0> : tensor<i8>
    %1 = stablehlo.compare EQ, %0, %c, SIGNED : (tensor<i8>, tensor<i8>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<i8>
    %2 = call @_where_0(%1, %c_0, %0) : (tensor<i1>, tensor<i8>, tensor<i8>) -> tensor<i8>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i8>) -> tensor<3x5xi8>
    %4 = stablehlo.remainder %arg0, %3 : tensor<3x5xi8>
    %c_1 = stablehlo.constant dense<0> : tensor<i8>
    %5 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i8>) -> tensor<3x5xi8>
    %6 = stablehlo.compare NE, %4, %5, SIGNED : (tensor<3x5xi8>, tensor<3x5xi8>) -> tensor<3x5xi1>
    %c_2 = stablehlo.constant dense<0> : tensor<i8>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i8>) -> tensor<3x5xi8>
    %8 = stablehlo.compare LT, %4, %7, SIGNED : (tensor<3x5xi8>, tensor<3x5xi8>) -> tensor<3x5xi1>
    %c_3 = stablehlo.constant dense<0> : tensor<i8>
    %9 = stablehlo.compare LT, %2, %c_3, SIGNED : (tensor<i8>, tensor<i8>) -> tensor<i1>
    %10 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<i1>) -> tensor<3x5xi1>
    %11 = stablehlo.compare NE, %8, %10, UNSIGNED : (tensor<3x5xi1>, tensor<3x5xi1>) -> tensor<3x5xi1>
    %12 = stablehlo.and %11, %6 : tensor<3x5xi1>
    %13 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i8>) -> tensor<3x5xi8>
    %14 = stablehlo.add %4, %13 : tensor<3x5xi8>
    %15 = stablehlo.select %12, %14, %4 : tensor<3x5xi1>, tensor<3x5xi8>
    return %15 : tensor<3x5xi8>
  }
  func.func private @_where_0(%arg0: tensor<i1>, %arg1: tensor<i8>, %arg2: tensor<i8>) -> tensor<i8> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i8>
    return %0 : tensor<i8>
  }
  func.func private @floor_divide_1(%arg0: tensor<3x5xui8>, %arg1: tensor<i32>) -> tensor<3x5xui8> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<ui8>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<ui8>) -> tensor<3x5xui8>
    %2 = stablehlo.divide %arg0, %1 : tensor<3x5xui8>
    return %2 : tensor<3x5xui8>
  }
  func.func private @remainder_2(%arg0: tensor<3x5xui8>, %arg1: tensor<i32>) -> tensor<3x5xui8> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<ui8>
    %c = stablehlo.constant dense<0> : tensor<ui8>
    %1 = stablehlo.compare EQ, %0, %c, UNSIGNED : (tensor<ui8>, tensor<ui8>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<ui8>
    %2 = call @_where_3(%1, %c_0, %0) : (tensor<i1>, tensor<ui8>, tensor<ui8>) -> tensor<ui8>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<ui8>) -> tensor<3x5xui8>
    %4 = stablehlo.remainder %arg0, %3 : tensor<3x5xui8>
    %c_1 = stablehlo.constant dense<0> : tensor<ui8>
    %5 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<ui8>) -> tensor<3x5xui8>
    %6 = stablehlo.compare NE, %4, %5, UNSIGNED : (tensor<3x5xui8>, tensor<3x5xui8>) -> tensor<3x5xi1>
    %c_2 = stablehlo.constant dense<0> : tensor<ui8>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<ui8>) -> tensor<3x5xui8>
    %8 = stablehlo.compare LT, %4, %7, UNSIGNED : (tensor<3x5xui8>, tensor<3x5xui8>) -> tensor<3x5xi1>
    %c_3 = stablehlo.constant dense<0> : tensor<ui8>
    %9 = stablehlo.compare LT, %2, %c_3, UNSIGNED : (tensor<ui8>, tensor<ui8>) -> tensor<i1>
    %10 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<i1>) -> tensor<3x5xi1>
    %11 = stablehlo.compare NE, %8, %10, UNSIGNED : (tensor<3x5xi1>, tensor<3x5xi1>) -> tensor<3x5xi1>
    %12 = stablehlo.and %11, %6 : tensor<3x5xi1>
    %13 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<ui8>) -> tensor<3x5xui8>
    %14 = stablehlo.add %4, %13 : tensor<3x5xui8>
    %15 = stablehlo.select %12, %14, %4 : tensor<3x5xi1>, tensor<3x5xui8>
    return %15 : tensor<3x5xui8>
  }
  func.func private @_where_3(%arg0: tensor<i1>, %arg1: tensor<ui8>, %arg2: tensor<ui8>) -> tensor<ui8> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<ui8>
    return %0 : tensor<ui8>
  }
  func.func private @floor_divide_4(%arg0: tensor<3x5xi32>, %arg1: tensor<i32>) -> tensor<3x5xi32> {
    %0 = stablehlo.convert %arg1 : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i32>) -> tensor<3x5xi32>
    %2 = stablehlo.divide %arg0, %1 : tensor<3x5xi32>
    %3 = stablehlo.sign %arg0 : tensor<3x5xi32>
    %4 = stablehlo.sign %0 : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<i32>) -> tensor<3x5xi32>
    %6 = stablehlo.compare NE, %3, %5, SIGNED : (tensor<3x5xi32>, tensor<3x5xi32>) -> tensor<3x5xi1>
    %7 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i32>) -> tensor<3x5xi32>
    %8 = stablehlo.remainder %arg0, %7 : tensor<3x5xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<3x5xi32>
    %10 = stablehlo.compare NE, %8, %9, SIGNED : (tensor<3x5xi32>, tensor<3x5xi32>) -> tensor<3x5xi1>
    %11 = stablehlo.and %6, %10 : tensor<3x5xi1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %12 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<3x5xi32>
    %13 = stablehlo.subtract %2, %12 : tensor<3x5xi32>
    %14 = call @_where_5(%11, %13, %2) : (tensor<3x5xi1>, tensor<3x5xi32>, tensor<3x5xi32>) -> tensor<3x5xi32>
    return %14 : tensor<3x5xi32>
  }
  func.func private @_where_5(%arg0: tensor<3x5xi1>, %arg1: tensor<3x5xi32>, %arg2: tensor<3x5xi32>) -> tensor<3x5xi32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<3x5xi1>, tensor<3x5xi32>
    return %0 : tensor<3x5xi32>
  }
  func.func private @remainder_6(%arg0: tensor<3x5xi32>, %arg1: tensor<i32>) -> tensor<3x5xi32> {
    %0 = stablehlo.convert %arg1 : tensor<i32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.compare EQ, %0, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %2 = call @_where_7(%1, %c_0, %0) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<3x5xi32>
    %4 = stablehlo.remainder %arg0, %3 : tensor<3x5xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<3x5xi32>
    %6 = stablehlo.compare NE, %4, %5, SIGNED : (tensor<3x5xi32>, tensor<3x5xi32>) -> tensor<3x5xi1>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<3x5xi32>
    %8 = stablehlo.compare LT, %4, %7, SIGNED : (tensor<3x5xi32>, tensor<3x5xi32>) -> tensor<3x5xi1>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.compare LT, %2, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %10 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<i1>) -> tensor<3x5xi1>
    %11 = stablehlo.compare NE, %8, %10, UNSIGNED : (tensor<3x5xi1>, tensor<3x5xi1>) -> tensor<3x5xi1>
    %12 = stablehlo.and %11, %6 : tensor<3x5xi1>
    %13 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<3x5xi32>
    %14 = stablehlo.add %4, %13 : tensor<3x5xi32>
    %15 = stablehlo.select %12, %14, %4 : tensor<3x5xi1>, tensor<3x5xi32>
    return %15 : tensor<3x5xi32>
  }
  func.func private @_where_7(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
  func.func private @round(%arg0: tensor<3x5xf32>) -> tensor<3x5xf32> {
    %0 = stablehlo.round_nearest_even %arg0 : tensor<3x5xf32>
    return %0 : tensor<3x5xf32>
  }
  func.func private @clip(%arg0: tensor<3x5xi32>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<3x5xi32> {
    %0 = stablehlo.convert %arg1 : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i32>) -> tensor<3x5xi32>
    %2 = stablehlo.maximum %1, %arg0 : tensor<3x5xi32>
    %3 = stablehlo.convert %arg2 : tensor<i32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<i32>) -> tensor<3x5xi32>
    %5 = stablehlo.minimum %4, %2 : tensor<3x5xi32>
    return %5 : tensor<3x5xi32>
  }
  func.func private @_where_8(%arg0: tensor<3x5xi1>, %arg1: tensor<3x5xf32>, %arg2: tensor<f32>) -> tensor<3x5xf32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<3x5xf32>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<3x5xi1>, tensor<3x5xf32>
    return %2 : tensor<3x5xf32>
  }
}
