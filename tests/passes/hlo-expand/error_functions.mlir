// pass: hlo-expand --level full
// erf and its relatives over all input classes, in two types.
func.func @main(%x: tensor<64xf32>, %y: tensor<64xbf16>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xbf16>, tensor<64xbf16>) {
  %0 = chlo.erf %x : tensor<64xf32> -> tensor<64xf32>
  %1 = chlo.erfc %x : tensor<64xf32> -> tensor<64xf32>
  %2 = chlo.erf_inv %x : tensor<64xf32> -> tensor<64xf32>
  %3 = chlo.erfc %y : tensor<64xbf16> -> tensor<64xbf16>
  %4 = chlo.erf_inv %y : tensor<64xbf16> -> tensor<64xbf16>
  return %0, %1, %2, %3, %4 : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xbf16>, tensor<64xbf16>
}
