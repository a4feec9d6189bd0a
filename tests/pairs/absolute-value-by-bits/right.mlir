// pair: --level quick: EqualIeeeOnly
func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {
  %i = stablehlo.bitcast_convert %x : (tensor<64xf32>) -> tensor<64xi32>
  %m = stablehlo.constant dense<2147483647> : tensor<64xi32>
  %a = stablehlo.and %i, %m : tensor<64xi32>
  %r = stablehlo.bitcast_convert %a : (tensor<64xi32>) -> tensor<64xf32>
  return %r : tensor<64xf32>
}
