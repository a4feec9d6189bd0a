// pair: --contract unknown --level full: Miscompile
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %r = stablehlo.abs %x : tensor<16xf32>
  return %r : tensor<16xf32>
}
