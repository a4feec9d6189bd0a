// pair: --contract strict --level full: Equal
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %d = stablehlo.constant dense<1.00000012> : tensor<4xf32>
  %r = stablehlo.multiply %x, %d : tensor<4xf32>
  return %r : tensor<4xf32>
}
