// pair: --level quick: Miscompile
func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {
  %i = stablehlo.bitcast_convert %x : (tensor<64xf32>) -> tensor<64xi32>
  %m = stablehlo.constant dense<1073741823> : tensor<64xi32>
  %a = stablehlo.and %i, %m : tensor<64xi32>
  %r = stablehlo.bitcast_convert %a : (tensor<64xi32>) -> tensor<64xf32>
  return %r : tensor<64xf32>
}
