// pass: hlo-fuse
// Layer normalization with a scale: mean and variance of the rows, one kernel. The square matrix shows that rows are not mixed up with columns.
func.func @main(%x: tensor<64x64xf32>, %g: tensor<64xf32>) -> tensor<64x64xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %n = stablehlo.constant dense<64.0> : tensor<64xf32>
  %e = stablehlo.constant dense<1.0e-5> : tensor<64xf32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<64x64xf32>, tensor<f32>) -> tensor<64xf32>
  %1 = stablehlo.divide %0, %n : tensor<64xf32>
  %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<64xf32>) -> tensor<64x64xf32>
  %3 = stablehlo.subtract %x, %2 : tensor<64x64xf32>
  %4 = stablehlo.multiply %3, %3 : tensor<64x64xf32>
  %5 = stablehlo.reduce(%4 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<64x64xf32>, tensor<f32>) -> tensor<64xf32>
  %6 = stablehlo.divide %5, %n : tensor<64xf32>
  %7 = stablehlo.add %6, %e : tensor<64xf32>
  %8 = stablehlo.rsqrt %7 : tensor<64xf32>
  %9 = stablehlo.broadcast_in_dim %8, dims = [0] : (tensor<64xf32>) -> tensor<64x64xf32>
  %10 = stablehlo.multiply %3, %9 : tensor<64x64xf32>
  %11 = stablehlo.broadcast_in_dim %g, dims = [1] : (tensor<64xf32>) -> tensor<64x64xf32>
  %12 = stablehlo.multiply %10, %11 : tensor<64x64xf32>
  return %12 : tensor<64x64xf32>
}
