// pass: hlo-expand
// No square here.
func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.multiply %x, %x : tensor<3xf32>
  %1 = stablehlo.sqrt %0 : tensor<3xf32>
  return %1 : tensor<3xf32>
}
