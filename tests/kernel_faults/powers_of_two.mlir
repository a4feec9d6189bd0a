// block-bytes: 4096
func.func @main(%x: tensor<16x300xf8E8M0FNU>, %y: tensor<300x40xf8E8M0FNU>) -> tensor<16x40xf8E8M0FNU> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<16x300xf8E8M0FNU>, tensor<300x40xf8E8M0FNU>) -> tensor<16x40xf8E8M0FNU>
  return %0 : tensor<16x40xf8E8M0FNU>
}
