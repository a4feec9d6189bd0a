// pair: --contract strict --level full: NumericsViolation
func.func @main(%x: tensor<16xi64>) -> tensor<16xf32> {
  %t = stablehlo.convert %x : (tensor<16xi64>) -> tensor<16xf64>
  %y = stablehlo.convert %t : (tensor<16xf64>) -> tensor<16xf32>
  return %y : tensor<16xf32>
}
