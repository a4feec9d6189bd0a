// pass: hlo-expand --level full
// NaN, infinities, signed zeros, overflow and underflow of the square.
func.func @main(%x: tensor<32xf32>, %y: tensor<32xbf16>) -> (tensor<32xf32>, tensor<32xbf16>) {
  %0 = chlo.square %x : tensor<32xf32> -> tensor<32xf32>
  %1 = chlo.square %y : tensor<32xbf16> -> tensor<32xbf16>
  return %0, %1 : tensor<32xf32>, tensor<32xbf16>
}
