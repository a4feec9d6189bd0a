// fires: floats integers bool complex
func.func @main(%x: tensor<3x5x$T>, %y: tensor<3x5x$T>, %p: tensor<3x5xi1>) -> tensor<3x5x$T> {
  %0 = stablehlo.select %p, %x, %y : tensor<3x5xi1>, tensor<3x5x$T>
  return %0 : tensor<3x5x$T>
}
