// pair: --contract strict --level full: Miscompile
func.func @main(%x: tensor<64xbf16>) -> tensor<64xi1> {
  %w = stablehlo.convert %x : (tensor<64xbf16>) -> tensor<64xf32>
  %c = stablehlo.constant dense<3.0> : tensor<64xf32>
  %q = stablehlo.divide %w, %c : tensor<64xf32>
  %n = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %m = stablehlo.reduce(%q init: %n) applies stablehlo.maximum across dimensions = [0] : (tensor<64xf32>, tensor<f32>) -> tensor<f32>
  %b = stablehlo.broadcast_in_dim %m, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %r = stablehlo.compare EQ, %q, %b : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xi1>
  return %r : tensor<64xi1>
}
