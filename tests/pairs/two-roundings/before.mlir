func.func @main(%a: tensor<40xf64>) -> tensor<40xf16> {
  %0 = stablehlo.convert %a : (tensor<40xf64>) -> tensor<40xf16>
  return %0 : tensor<40xf16>
}
