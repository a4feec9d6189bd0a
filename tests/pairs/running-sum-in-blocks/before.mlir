func.func @main(%x: tensor<2x32xbf16>) -> tensor<2x32xbf16> {
  %zero = stablehlo.constant dense<0.0> : tensor<bf16>
  %r = "stablehlo.reduce_window"(%x, %zero) ({
  ^bb0(%a: tensor<bf16>, %c: tensor<bf16>):
    %s = stablehlo.add %a, %c : tensor<bf16>
    stablehlo.return %s : tensor<bf16>
  }) {padding = dense<[[0, 0], [31, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 1, 32>} : (tensor<2x32xbf16>, tensor<bf16>) -> tensor<2x32xbf16>
  return %r : tensor<2x32xbf16>
}
