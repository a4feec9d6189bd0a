// pass: hlo-assign-layout
// Rows first, tiles by the target's table; narrow types are packed; rank 0 has nothing to lay out.
func.func @main(%x: tensor<64x256xf32>, %y: tensor<64x256xbf16>, %s: tensor<f32>) -> (tensor<64x256xf32>, tensor<64x256xbf16>) {
  %0 = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<64x256xf32>
  %1 = stablehlo.add %x, %0 : tensor<64x256xf32>
  %2 = stablehlo.negate %y : tensor<64x256xbf16>
  return %1, %2 : tensor<64x256xf32>, tensor<64x256xbf16>
}
