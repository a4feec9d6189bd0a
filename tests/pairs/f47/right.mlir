// pair: --contract strict --level full: Equal
func.func @main(%x: tensor<64xbf16>) -> tensor<64xi1> {
  %c = stablehlo.constant dense<3.0> : tensor<64xbf16>
  %q = stablehlo.divide %x, %c : tensor<64xbf16>
  %n = stablehlo.constant dense<0xFF80> : tensor<bf16>
  %m = stablehlo.reduce(%q init: %n) applies stablehlo.maximum across dimensions = [0] : (tensor<64xbf16>, tensor<bf16>) -> tensor<bf16>
  %b = stablehlo.broadcast_in_dim %m, dims = [] : (tensor<bf16>) -> tensor<64xbf16>
  %r = stablehlo.compare EQ, %b, %q : (tensor<64xbf16>, tensor<64xbf16>) -> tensor<64xi1>
  return %r : tensor<64xi1>
}
