func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {
  %r = stablehlo.abs %x : tensor<64xf32>
  return %r : tensor<64xf32>
}
