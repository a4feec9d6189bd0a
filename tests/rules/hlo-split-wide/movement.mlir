// fires: i64 ui64 complex<f32>
// never: i32 f64 complex<f64>
func.func @main(%x: tensor<3x4x$T>, %y: tensor<3x4x$T>, %p: tensor<3x4xi1>, %c: tensor<$T>) -> (tensor<4x6x$T>, tensor<2x5x4x$T>) {
  %0 = stablehlo.select %p, %x, %y : tensor<3x4xi1>, tensor<3x4x$T>
  %1 = stablehlo.concatenate %0, %y, dim = 0 : (tensor<3x4x$T>, tensor<3x4x$T>) -> tensor<6x4x$T>
  %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<6x4x$T>) -> tensor<4x6x$T>
  %3 = stablehlo.slice %x [1:3, 0:4:2] : (tensor<3x4x$T>) -> tensor<2x2x$T>
  %4 = stablehlo.pad %3, %c, low = [1, 0], high = [2, 1], interior = [0, 1] : (tensor<2x2x$T>, tensor<$T>) -> tensor<5x4x$T>
  %5 = stablehlo.reverse %4, dims = [0] : tensor<5x4x$T>
  %6 = stablehlo.broadcast_in_dim %5, dims = [1, 2] : (tensor<5x4x$T>) -> tensor<2x5x4x$T>
  return %2, %6 : tensor<4x6x$T>, tensor<2x5x4x$T>
}
