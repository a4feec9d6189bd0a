// pair: --contract strict --level full: Equal
func.func @main(%a: tensor<40xf64>) -> tensor<40xf16> {
  %r = stablehlo.reverse %a, dims = [0] : tensor<40xf64>
  %0 = stablehlo.convert %r : (tensor<40xf64>) -> tensor<40xf16>
  %1 = stablehlo.reverse %0, dims = [0] : tensor<40xf16>
  return %1 : tensor<40xf16>
}
