// an integer converted through a wider float
func.func @main(%x: tensor<16xi64>) -> tensor<16xf32> {
  %y = stablehlo.convert %x : (tensor<16xi64>) -> tensor<16xf32>
  return %y : tensor<16xf32>
}
