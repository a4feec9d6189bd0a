// pair: --contract strict --level full: Equal
func.func @main(%x: tensor<16xi64>) -> tensor<16xf32> {
  %t = stablehlo.reshape %x : (tensor<16xi64>) -> tensor<4x4xi64>
  %y = stablehlo.convert %t : (tensor<4x4xi64>) -> tensor<4x4xf32>
  %z = stablehlo.reshape %y : (tensor<4x4xf32>) -> tensor<16xf32>
  return %z : tensor<16xf32>
}
