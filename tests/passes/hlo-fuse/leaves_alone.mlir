// pass: hlo-fuse
// No kernels for f64 and complex numbers; single ops; effects keep their order.
func.func @main(%x: tensor<8xf64>, %z: tensor<8xcomplex<f32>>, %y: tensor<8xf32>) -> (tensor<8xf64>, tensor<8xcomplex<f32>>, tensor<8xf32>) {
  %0 = stablehlo.negate %x : tensor<8xf64>
  %1 = stablehlo.add %0, %x : tensor<8xf64>
  %2 = stablehlo.multiply %z, %z : tensor<8xcomplex<f32>>
  %3 = stablehlo.subtract %2, %z : tensor<8xcomplex<f32>>
  %4 = stablehlo.abs %y : tensor<8xf32>
  return %1, %3, %4 : tensor<8xf64>, tensor<8xcomplex<f32>>, tensor<8xf32>
}
