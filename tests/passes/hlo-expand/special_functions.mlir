// pass: hlo-expand
// Gamma (right of its roots, where a bound says nothing), Bessel, hyperbolic functions and neighbours.
func.func @main(%x: tensor<64xf32>, %y: tensor<64xf32>, %z: tensor<64xf64>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf64>) {
  %three = stablehlo.constant dense<3.000000e+00> : tensor<64xf32>
  %square = stablehlo.multiply %x, %x : tensor<64xf32>
  %right = stablehlo.add %square, %three : tensor<64xf32>
  %0 = chlo.lgamma %right : tensor<64xf32> -> tensor<64xf32>
  %1 = chlo.digamma %right : tensor<64xf32> -> tensor<64xf32>
  %2 = chlo.bessel_i1e %x : tensor<64xf32> -> tensor<64xf32>
  %3 = chlo.sinh %x : tensor<64xf32> -> tensor<64xf32>
  %4 = chlo.cosh %x : tensor<64xf32> -> tensor<64xf32>
  %5 = chlo.next_after %x, %y : tensor<64xf32>, tensor<64xf32> -> tensor<64xf32>
  %6 = chlo.sinh %z : tensor<64xf64> -> tensor<64xf64>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf64>
}
