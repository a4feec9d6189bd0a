// fires: i4 i8 i16 i32 i64 ui4 ui8 ui16 ui32 ui64
// each: -100 -1 0 1 5 127 128 210 255 293 294 60000
func.func @main(%x: tensor<300x5xf32>) -> tensor<7x2xf32> {
  %i = stablehlo.constant dense<$I> : tensor<$T>
  %j = stablehlo.constant dense<{highest}> : tensor<$T>
  %0 = stablehlo.dynamic_slice %x, %i, %j, sizes = [7, 2] : (tensor<300x5xf32>, tensor<$T>, tensor<$T>) -> tensor<7x2xf32>
  return %0 : tensor<7x2xf32>
}
