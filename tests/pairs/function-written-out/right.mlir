// pair: --contract strict: Equal
func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {
  %half = stablehlo.constant dense<0.5> : tensor<64xf32>
  %minus = stablehlo.negate %x : tensor<64xf32>
  %a = stablehlo.log_plus_one %x : tensor<64xf32>
  %b = stablehlo.log_plus_one %minus : tensor<64xf32>
  %d = stablehlo.subtract %a, %b : tensor<64xf32>
  %y = stablehlo.multiply %d, %half : tensor<64xf32>
  return %y : tensor<64xf32>
}
