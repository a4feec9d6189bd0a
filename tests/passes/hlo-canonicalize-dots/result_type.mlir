// pass: hlo-canonicalize-dots
// x^T y of bfloat16, summed in and returned as float32.
func.func @main(%x: tensor<8x3xbf16>, %y: tensor<8x5xbf16>) -> tensor<3x5xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0] : (tensor<8x3xbf16>, tensor<8x5xbf16>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}
