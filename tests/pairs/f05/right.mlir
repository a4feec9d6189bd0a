// pair: --contract unknown --level full: Equal
func.func @main(%x: tensor<300xi32>) -> tensor<3xi32> {
  %r = stablehlo.slice %x [210:213] : (tensor<300xi32>) -> tensor<3xi32>
  return %r : tensor<3xi32>
}
