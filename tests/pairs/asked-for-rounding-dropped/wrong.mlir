// pair: --contract xla: NumericsViolation
func.func @main(%a: tensor<20xf32>) -> tensor<20xf32> {
  return %a : tensor<20xf32>
}
