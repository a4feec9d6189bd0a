// two roundings to bf16, of which one is dropped: excess precision under contract xla, a fault under reassociates
func.func @main(%a: tensor<64xf32>, %b: tensor<64xf32>) -> tensor<64xf32> {
  %0 = stablehlo.multiply %a, %b : tensor<64xf32>
  %1 = stablehlo.convert %0 : (tensor<64xf32>) -> tensor<64xbf16>
  %2 = stablehlo.convert %1 : (tensor<64xbf16>) -> tensor<64xf32>
  %3 = stablehlo.add %2, %b : tensor<64xf32>
  %4 = stablehlo.convert %3 : (tensor<64xf32>) -> tensor<64xbf16>
  %5 = stablehlo.convert %4 : (tensor<64xbf16>) -> tensor<64xf32>
  return %5 : tensor<64xf32>
}
