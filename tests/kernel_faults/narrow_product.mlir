// block-bytes: 8192
// fault: f84 hlo-to-tpu extension-by-zeros
// fault: f84 tpu-apply-vector-layout extension-by-zeros
func.func @main(%x: tensor<16x40xi8>, %y: tensor<40x128xi8>) -> tensor<16x128xi32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<16x40xi8>, tensor<40x128xi8>) -> tensor<16x128xi32>
  return %0 : tensor<16x128xi32>
}
