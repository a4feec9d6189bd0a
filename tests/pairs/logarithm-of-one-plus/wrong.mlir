// pair: --contract xla --level full: NumericsViolation
func.func @main(%a: tensor<64xf32>) -> tensor<64xf32> {
  %c = stablehlo.constant dense<1.0> : tensor<64xf32>
  %0 = stablehlo.add %a, %c : tensor<64xf32>
  %1 = stablehlo.log %0 : tensor<64xf32>
  return %1 : tensor<64xf32>
}
