// pass: hlo-to-tpu(block-bytes=8192)
// Products of i8 are summed in i32; behind the end of the contracted dimension stand zeros.
func.func @main(%x: tensor<16x40xi8>, %y: tensor<40x128xi8>) -> tensor<16x128xi32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<16x40xi8>, tensor<40x128xi8>) -> tensor<16x128xi32>
  return %0 : tensor<16x128xi32>
}
