// pair: --contract xla: NumericsViolation
func.func @main(%a: tensor<64xf32>, %b: tensor<64xf32>) -> tensor<64xf32> {
  %0 = stablehlo.multiply %a, %b : tensor<64xf32>
  %c = stablehlo.convert %0 : (tensor<64xf32>) -> tensor<64xbf16>
  %d = stablehlo.convert %c : (tensor<64xbf16>) -> tensor<64xf32>
  %1 = stablehlo.add %d, %b : tensor<64xf32>
  return %1 : tensor<64xf32>
}
