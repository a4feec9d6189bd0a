func.func @main(%a: tensor<40xbf16>, %b: tensor<40xbf16>, %c: tensor<40xbf16>) -> tensor<40xbf16> {
  %x = stablehlo.convert %a : (tensor<40xbf16>) -> tensor<40xf32>
  %y = stablehlo.convert %b : (tensor<40xbf16>) -> tensor<40xf32>
  %z = stablehlo.convert %c : (tensor<40xbf16>) -> tensor<40xf32>
  %p = stablehlo.multiply %x, %y : tensor<40xf32>
  %s = stablehlo.add %p, %z : tensor<40xf32>
  %r = stablehlo.convert %s : (tensor<40xf32>) -> tensor<40xbf16>
  return %r : tensor<40xbf16>
}
