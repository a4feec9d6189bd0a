// pair: --contract reassociates: Equal
func.func @main(%a: tensor<64xf32>, %b: tensor<64xf32>) -> tensor<64xf32> {
  %0 = stablehlo.multiply %b, %a : tensor<64xf32>
  %1 = stablehlo.add %b, %0 : tensor<64xf32>
  return %1 : tensor<64xf32>
}
