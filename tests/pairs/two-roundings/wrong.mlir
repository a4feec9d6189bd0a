// pair: --contract strict --level full: NumericsViolation
func.func @main(%a: tensor<40xf64>) -> tensor<40xf16> {
  %0 = stablehlo.convert %a : (tensor<40xf64>) -> tensor<40xf32>
  %1 = stablehlo.convert %0 : (tensor<40xf32>) -> tensor<40xf16>
  return %1 : tensor<40xf16>
}
