// pair: --contract xla --level full: Miscompile
func.func @main(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  return %a : tensor<f32>
}
