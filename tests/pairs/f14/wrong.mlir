// pair: --contract unknown --level full: NumericsViolation
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<16xf32>
  %r = stablehlo.multiply %x, %x : tensor<16xf32>
  return %x : tensor<16xf32>
}
