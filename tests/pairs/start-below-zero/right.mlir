// pair: --contract unknown: Equal
func.func @main(%x: tensor<7xf32>, %i: tensor<i32>) -> tensor<2xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %at = stablehlo.maximum %i, %zero : tensor<i32>
  %0 = stablehlo.dynamic_slice %x, %at, sizes = [2] : (tensor<7xf32>, tensor<i32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
