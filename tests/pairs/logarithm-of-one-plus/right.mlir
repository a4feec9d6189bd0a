// pair: --contract xla --level full: Equal
func.func @main(%a: tensor<64xf32>) -> tensor<64xf32> {
  %n = stablehlo.negate %a : tensor<64xf32>
  %m = stablehlo.negate %n : tensor<64xf32>
  %0 = stablehlo.log_plus_one %m : tensor<64xf32>
  return %0 : tensor<64xf32>
}
