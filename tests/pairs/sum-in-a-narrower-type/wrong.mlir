// pair: --contract xla: NumericsViolation
func.func @main(%a: tensor<40xbf16>, %b: tensor<40xbf16>, %c: tensor<40xbf16>) -> tensor<40xbf16> {
  %p = stablehlo.multiply %a, %b : tensor<40xbf16>
  %s = stablehlo.add %p, %c : tensor<40xbf16>
  return %s : tensor<40xbf16>
}
