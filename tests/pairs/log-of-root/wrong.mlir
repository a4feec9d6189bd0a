// pair: --contract xla: Miscompile
func.func @main(%x: tensor<24xf32>) -> (tensor<24xf32>, tensor<24xf32>) {
  %half = stablehlo.constant dense<0.25> : tensor<24xf32>
  %a = stablehlo.abs %x : tensor<24xf32>
  %r = stablehlo.sqrt %a : tensor<24xf32>
  %b = stablehlo.log %a : tensor<24xf32>
  %l = stablehlo.multiply %b, %half : tensor<24xf32>
  return %l, %r : tensor<24xf32>, tensor<24xf32>
}
