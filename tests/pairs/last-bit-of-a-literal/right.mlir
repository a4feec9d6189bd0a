// pair: --contract reassociates --level full: Equal
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = stablehlo.constant dense<2.0> : tensor<4xf32>
  %r = stablehlo.add %c, %x : tensor<4xf32>
  return %r : tensor<4xf32>
}
