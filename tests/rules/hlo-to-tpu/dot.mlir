// fires: bf16 f16 f32 i8 i16 i32 ui8 ui16 ui32
// options: block-bytes=8192
func.func @main(%a: tensor<40x150x$T>, %b: tensor<150x60x$T>) -> tensor<40x60x$T> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<40x150x$T>, tensor<150x60x$T>) -> tensor<40x60x$T>
  return %0 : tensor<40x60x$T>
}
