// pair: --contract strict: Equal
func.func @main(%d: tensor<4x8xf32>) -> tensor<4x8xbf16> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %y = stablehlo.convert %d : (tensor<4x8xf32>) -> tensor<4x8xbf16>
  %f = stablehlo.convert %y : (tensor<4x8xbf16>) -> tensor<4x8xf32>
  %q = stablehlo.multiply %f, %f : tensor<4x8xf32>
  %s = stablehlo.reduce(%q init: %z) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  %r = stablehlo.rsqrt %s : tensor<4xf32>
  %c = stablehlo.convert %r : (tensor<4xf32>) -> tensor<4xbf16>
  %b = stablehlo.broadcast_in_dim %c, dims = [0] : (tensor<4xbf16>) -> tensor<4x8xbf16>
  %o = stablehlo.multiply %b, %y : tensor<4x8xbf16>
  return %o : tensor<4x8xbf16>
}
