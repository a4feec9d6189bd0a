// pair: --contract reassociates --level full: Miscompile
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = stablehlo.constant dense<1.9999999> : tensor<4xf32>
  %r = stablehlo.add %x, %c : tensor<4xf32>
  return %r : tensor<4xf32>
}
