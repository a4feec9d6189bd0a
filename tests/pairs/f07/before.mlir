// sqrt(x*x) as abs(x) hides overflow and underflow
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %0 = stablehlo.multiply %x, %x : tensor<16xf32>
  %r = stablehlo.sqrt %0 : tensor<16xf32>
  return %r : tensor<16xf32>
}
