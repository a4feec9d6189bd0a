// pass: hlo-dce --level full
// What is left sees the same NaN, infinities and signed zeros.
func.func @main(%x: tensor<16xf32>, %y: tensor<16xf32>) -> tensor<16xf32> {
  %0 = stablehlo.divide %x, %y : tensor<16xf32>
  %1 = stablehlo.log %0 : tensor<16xf32>
  %2 = stablehlo.minimum %0, %y : tensor<16xf32>
  return %2 : tensor<16xf32>
}
