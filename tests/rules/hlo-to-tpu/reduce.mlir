// fires: bf16 f16 f32 i8 i16 i32 ui8 ui16 ui32
// options: block-bytes=4096
func.func @main(%x: tensor<70x130x$T>) -> tensor<130x$T> {
  %zero = stablehlo.constant dense<{0}> : tensor<$T>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<70x130x$T>, tensor<$T>) -> tensor<130x$T>
  return %0 : tensor<130x$T>
}
