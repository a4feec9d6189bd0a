// fires: floats integers bool complex
func.func @main(%x: tensor<3x4x5x$T>) -> tensor<4x5x3x$T> {
  %0 = stablehlo.transpose %x, dims = [1, 2, 0] : (tensor<3x4x5x$T>) -> tensor<4x5x3x$T>
  return %0 : tensor<4x5x3x$T>
}
