// pass: hlo-fold-constants --level full
// NaN, infinities, signed zeros, subnormals, integer overflow and conversions fold to what the ops say.
func.func @main(%x: tensor<4xf32>, %i: tensor<4xi8>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xi8>, tensor<4xi32>) {
  %a = stablehlo.constant dense<[0x7FC00000, 0xFF800000, -0.0, 1.0e-40]> : tensor<4xf32>
  %b = stablehlo.constant dense<[1.0, 0x7F800000, 0.0, -1.0e-40]> : tensor<4xf32>
  %c = stablehlo.constant dense<[-128, 127, -1, 100]> : tensor<4xi8>
  %0 = stablehlo.minimum %a, %b : tensor<4xf32>
  %1 = stablehlo.maximum %a, %b : tensor<4xf32>
  %2 = stablehlo.add %c, %c : tensor<4xi8>
  %3 = stablehlo.convert %b : (tensor<4xf32>) -> tensor<4xi32>
  %4 = stablehlo.multiply %0, %x : tensor<4xf32>
  %5 = stablehlo.multiply %1, %x : tensor<4xf32>
  %6 = stablehlo.add %2, %i : tensor<4xi8>
  return %4, %5, %6, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xi8>, tensor<4xi32>
}
