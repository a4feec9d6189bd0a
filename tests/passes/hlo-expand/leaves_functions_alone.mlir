// pass: hlo-expand
// Complex numbers, dynamic sizes, narrow floats, empty tensors, tan.
func.func @main(%z: tensor<3xcomplex<f32>>, %d: tensor<?xf32>, %n: tensor<3xf8E4M3FN>, %e: tensor<0xf32>, %x: tensor<3xf32>) -> (tensor<3xcomplex<f32>>, tensor<?xf32>, tensor<3xf8E4M3FN>, tensor<0xf32>, tensor<3xf32>, tensor<3xf32>) {
  %0 = chlo.asin %z : tensor<3xcomplex<f32>> -> tensor<3xcomplex<f32>>
  %1 = chlo.erfc %d : tensor<?xf32> -> tensor<?xf32>
  %2 = chlo.erfc %n : tensor<3xf8E4M3FN> -> tensor<3xf8E4M3FN>
  %3 = chlo.erfc %e : tensor<0xf32> -> tensor<0xf32>
  %4 = chlo.tan %x : tensor<3xf32> -> tensor<3xf32>
  %5 = chlo.zeta %x, %x : tensor<3xf32>, tensor<3xf32> -> tensor<3xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<3xcomplex<f32>>, tensor<?xf32>, tensor<3xf8E4M3FN>, tensor<0xf32>, tensor<3xf32>, tensor<3xf32>
}
