// mutators: double-rounding
func.func @main(%x: tensor<2xbf16>) -> tensor<2xbf16> {
  %c = stablehlo.constant dense<[257.000000001, -257.000000001]> : tensor<2xf64>
  %0 = stablehlo.convert %c : (tensor<2xf64>) -> tensor<2xbf16>
  %1 = stablehlo.add %0, %x : tensor<2xbf16>
  return %1 : tensor<2xbf16>
}
