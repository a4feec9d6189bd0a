// fires: bf16 f16 f32 i8 i16 i32 ui8 ui16 ui32
func.func @main(%x: tensor<2x6x4x$T>, %w: tensor<3x2x6x$T>) -> tensor<2x5x6x$T> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f],
    window = {stride = [2], pad = [[2, 1]], lhs_dilate = [2]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<2x6x4x$T>, tensor<3x2x6x$T>) -> tensor<2x6x6x$T>
  %1 = stablehlo.slice %0 [0:2, 0:5, 0:6] : (tensor<2x6x6x$T>) -> tensor<2x5x6x$T>
  return %1 : tensor<2x5x6x$T>
}
