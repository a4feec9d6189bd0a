func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %low = stablehlo.constant dense<-0.1> : tensor<16xf32>
  %high = stablehlo.constant dense<0.1> : tensor<16xf32>
  %c = stablehlo.clamp %low, %x, %high : tensor<16xf32>
  %r = stablehlo.exponential %c : tensor<16xf32>
  return %r : tensor<16xf32>
}
