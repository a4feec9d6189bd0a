// fires: floats integers bool complex
func.func @main(%x: tensor<2x32x128x$T>) -> (tensor<64x128x$T>, tensor<2x4096x$T>) {
  %0 = stablehlo.reshape %x : (tensor<2x32x128x$T>) -> tensor<64x128x$T>
  %1 = stablehlo.reshape %x : (tensor<2x32x128x$T>) -> tensor<2x4096x$T>
  return %0, %1 : tensor<64x128x$T>, tensor<2x4096x$T>
}
