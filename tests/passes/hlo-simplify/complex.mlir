// pass: hlo-simplify --level full
// Complex numbers taken apart and put together; multiplication by one is left alone: inf times 1 + 0i has a NaN part.
func.func @main(%z: tensor<8xcomplex<f32>>, %x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xcomplex<f32>>, tensor<8xcomplex<f32>>) {
  %one = stablehlo.constant dense<(1.0, 0.0)> : tensor<8xcomplex<f32>>
  %0 = stablehlo.complex %x, %y : tensor<8xcomplex<f32>>
  %1 = stablehlo.real %0 : (tensor<8xcomplex<f32>>) -> tensor<8xf32>
  %2 = stablehlo.imag %0 : (tensor<8xcomplex<f32>>) -> tensor<8xf32>
  %3 = stablehlo.real %z : (tensor<8xcomplex<f32>>) -> tensor<8xf32>
  %4 = stablehlo.imag %z : (tensor<8xcomplex<f32>>) -> tensor<8xf32>
  %5 = stablehlo.complex %3, %4 : tensor<8xcomplex<f32>>
  %6 = stablehlo.multiply %z, %one : tensor<8xcomplex<f32>>
  return %1, %2, %5, %6 : tensor<8xf32>, tensor<8xf32>, tensor<8xcomplex<f32>>, tensor<8xcomplex<f32>>
}
