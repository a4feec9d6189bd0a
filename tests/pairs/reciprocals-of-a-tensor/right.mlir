// pair: --contract xla: Equal
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = stablehlo.constant dense<[1.0, 0.769230783, 0.333333343, 1.42857146]> : tensor<4xf32>
  %r = stablehlo.multiply %x, %c : tensor<4xf32>
  return %r : tensor<4xf32>
}
