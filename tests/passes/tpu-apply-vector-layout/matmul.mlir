// pass: hlo-to-tpu,tpu-pipeline-windows,tpu-assign-vmem,tpu-apply-vector-layout
// Two contracted tiles; what is behind the 130th element is 0 on both sides.
func.func @main(%x: tensor<8x130xf32>, %y: tensor<130x16xf32>) -> tensor<8x16xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<8x130xf32>, tensor<130x16xf32>) -> tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}
