// pair: --contract reassociates: NumericsViolation
func.func @main(%a: tensor<64xf32>, %b: tensor<64xf32>) -> tensor<64xf32> {
  %0 = stablehlo.multiply %a, %b : tensor<64xf32>
  %3 = stablehlo.add %0, %b : tensor<64xf32>
  %4 = stablehlo.convert %3 : (tensor<64xf32>) -> tensor<64xbf16>
  %5 = stablehlo.convert %4 : (tensor<64xbf16>) -> tensor<64xf32>
  return %5 : tensor<64xf32>
}
