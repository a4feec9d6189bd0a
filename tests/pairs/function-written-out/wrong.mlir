// pair: --contract strict: NumericsViolation
func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {
  %half = stablehlo.constant dense<0.5> : tensor<64xf32>
  %one = stablehlo.constant dense<1.0> : tensor<64xf32>
  %up = stablehlo.add %one, %x : tensor<64xf32>
  %down = stablehlo.subtract %one, %x : tensor<64xf32>
  %a = stablehlo.log %up : tensor<64xf32>
  %b = stablehlo.log %down : tensor<64xf32>
  %d = stablehlo.subtract %a, %b : tensor<64xf32>
  %y = stablehlo.multiply %d, %half : tensor<64xf32>
  return %y : tensor<64xf32>
}
