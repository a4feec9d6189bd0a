// pair: --contract unknown --level full: Miscompile
func.func @main(%x: tensor<300xi32>) -> tensor<3xi32> {
  %r = stablehlo.slice %x [0:3] : (tensor<300xi32>) -> tensor<3xi32>
  return %r : tensor<3xi32>
}
