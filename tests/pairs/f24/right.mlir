// pair: --contract unknown --level full: Equal
func.func @main(%x: tensor<3x1x2xf32>) -> tensor<1x6xf32> {
  %0 = stablehlo.transpose %x, dims = [2, 1, 0] : (tensor<3x1x2xf32>) -> tensor<2x1x3xf32>
  %r = stablehlo.reshape %0 : (tensor<2x1x3xf32>) -> tensor<1x6xf32>
  return %r : tensor<1x6xf32>
}
