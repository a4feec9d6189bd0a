// pass: hlo-split-wide
// Products of complex numbers, f64, division: library calls. 32 bits: nothing to split.
func.func @main(%z: tensor<4xcomplex<f32>>, %x: tensor<4xf64>, %n: tensor<4xi64>, %m: tensor<4xi32>) -> (tensor<4xcomplex<f32>>, tensor<4xf64>, tensor<4xi64>, tensor<4xi32>) {
  %0 = stablehlo.multiply %z, %z : tensor<4xcomplex<f32>>
  %1 = stablehlo.add %x, %x : tensor<4xf64>
  %2 = stablehlo.divide %n, %n : tensor<4xi64>
  %3 = stablehlo.add %m, %m : tensor<4xi32>
  return %0, %1, %2, %3 : tensor<4xcomplex<f32>>, tensor<4xf64>, tensor<4xi64>, tensor<4xi32>
}
