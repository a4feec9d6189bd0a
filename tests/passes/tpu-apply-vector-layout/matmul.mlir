// pass: hlo-to-tpu,tpu-pipeline-windows,tpu-assign-vmem,tpu-apply-vector-layout
// Two contracted tiles; what is behind the 130th element is 0 on both sides. Integers: every order of the sum is the same.
func.func @main(%x: tensor<8x130xi8>, %y: tensor<130x16xi8>) -> tensor<8x16xi32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<8x130xi8>, tensor<130x16xi8>) -> tensor<8x16xi32>
  return %0 : tensor<8x16xi32>
}
