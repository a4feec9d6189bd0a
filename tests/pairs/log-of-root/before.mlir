// log(sqrt x) beside log x: an identity that keeps the number of logarithms
func.func @main(%x: tensor<24xf32>) -> (tensor<24xf32>, tensor<24xf32>) {
  %a = stablehlo.abs %x : tensor<24xf32>
  %r = stablehlo.sqrt %a : tensor<24xf32>
  %l = stablehlo.log %r : tensor<24xf32>
  return %l, %r : tensor<24xf32>, tensor<24xf32>
}
