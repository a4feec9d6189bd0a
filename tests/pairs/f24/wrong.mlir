// pair: --contract unknown --level full: Miscompile
func.func @main(%x: tensor<3x1x2xf32>) -> tensor<1x6xf32> {
  %r = stablehlo.reshape %x : (tensor<3x1x2xf32>) -> tensor<1x6xf32>
  return %r : tensor<1x6xf32>
}
