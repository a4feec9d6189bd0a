// pair: --contract xla: Equal
func.func @main(%x: tensor<2x32xbf16>) -> tensor<2x32xbf16> {
  %zero = stablehlo.constant dense<0.0> : tensor<bf16>
  %b = stablehlo.reshape %x : (tensor<2x32xbf16>) -> tensor<2x2x16xbf16>
  %i = "stablehlo.reduce_window"(%b, %zero) ({
  ^bb0(%a: tensor<bf16>, %c: tensor<bf16>):
    %s = stablehlo.add %a, %c : tensor<bf16>
    stablehlo.return %s : tensor<bf16>
  }) {padding = dense<[[0, 0], [0, 0], [15, 0]]> : tensor<3x2xi64>, window_dimensions = array<i64: 1, 1, 16>} : (tensor<2x2x16xbf16>, tensor<bf16>) -> tensor<2x2x16xbf16>
  %l = stablehlo.slice %i [0:2, 0:1, 15:16] : (tensor<2x2x16xbf16>) -> tensor<2x1x1xbf16>
  %m = stablehlo.reshape %l : (tensor<2x1x1xbf16>) -> tensor<2x1xbf16>
  %p = stablehlo.pad %m, %zero, low = [0, 1], high = [0, 0], interior = [0, 0] : (tensor<2x1xbf16>, tensor<bf16>) -> tensor<2x2xbf16>
  %o = stablehlo.broadcast_in_dim %p, dims = [0, 1] : (tensor<2x2xbf16>) -> tensor<2x2x16xbf16>
  %t = "stablehlo.map"(%i, %o) ({
  ^bb0(%a: tensor<bf16>, %c: tensor<bf16>):
    %s = stablehlo.add %a, %c : tensor<bf16>
    stablehlo.return %s : tensor<bf16>
  }) {dimensions = array<i64: 0, 1, 2>} : (tensor<2x2x16xbf16>, tensor<2x2x16xbf16>) -> tensor<2x2x16xbf16>
  %r = stablehlo.reshape %t : (tensor<2x2x16xbf16>) -> tensor<2x32xbf16>
  return %r : tensor<2x32xbf16>
}
