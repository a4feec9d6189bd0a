// a constant converted from f64 to f32 with two roundings
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = stablehlo.constant dense<1.000000059604645> : tensor<4xf64>
  %d = stablehlo.convert %c : (tensor<4xf64>) -> tensor<4xf32>
  %r = stablehlo.multiply %x, %d : tensor<4xf32>
  return %r : tensor<4xf32>
}
