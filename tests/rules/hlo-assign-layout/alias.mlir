// fires: floats integers bool complex
// each: 0 2 7 100
func.func @main(%x: tensor<9x$T>, %u: tensor<4x$T>) -> tensor<9x$T> {
  %i = stablehlo.constant dense<$I> : tensor<i32>
  %0 = stablehlo.reverse %x, dims = [0] : tensor<9x$T>
  %1 = stablehlo.dynamic_update_slice %0, %u, %i : (tensor<9x$T>, tensor<4x$T>, tensor<i32>) -> tensor<9x$T>
  return %1 : tensor<9x$T>
}
