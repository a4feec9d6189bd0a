// The function by its name: its own value is what another program must compute under contract strict.
func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {
  %y = chlo.atanh %x : tensor<64xf32> -> tensor<64xf32>
  return %y : tensor<64xf32>
}
