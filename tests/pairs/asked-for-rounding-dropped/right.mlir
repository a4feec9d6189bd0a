// pair: --contract xla: Equal
func.func @main(%a: tensor<20xf32>) -> tensor<20xf32> {
  %0 = stablehlo.reduce_precision %a, format = e8m7 : tensor<20xf32>
  %1 = stablehlo.reduce_precision %0, format = e8m7 : tensor<20xf32>
  return %1 : tensor<20xf32>
}
