// fires: f8E5M2 i8 ui16 f32 i64 bool complex
func.func @main(%x: tensor<20x9x$T>) -> tensor<2x2x$T> {
  %0 = stablehlo.slice %x [1:19:2, 2:9] : (tensor<20x9x$T>) -> tensor<9x7x$T>
  %1 = stablehlo.slice %0 [2:8:3, 1:7:5] : (tensor<9x7x$T>) -> tensor<2x2x$T>
  return %1 : tensor<2x2x$T>
}
