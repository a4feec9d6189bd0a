// pass: hlo-canonicalize-dots
// Integers wrap; two kept dimensions on both sides.
func.func @main(%x: tensor<2x3x4xi8>, %y: tensor<3x4x2xi8>) -> tensor<2x3x3x2xi8> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [2] x [1] : (tensor<2x3x4xi8>, tensor<3x4x2xi8>) -> tensor<2x3x3x2xi8>
  return %0 : tensor<2x3x3x2xi8>
}
