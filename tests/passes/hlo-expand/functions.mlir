// pass: hlo-expand
// Functions by their names, each with a body that is defined once a type.
func.func @main(%x: tensor<7xf32>, %y: tensor<7xf32>) -> (tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>) {
  %0 = chlo.acos %x : tensor<7xf32> -> tensor<7xf32>
  %1 = chlo.asin %x : tensor<7xf32> -> tensor<7xf32>
  %2 = chlo.atan %x : tensor<7xf32> -> tensor<7xf32>
  %3 = chlo.acosh %x : tensor<7xf32> -> tensor<7xf32>
  %4 = chlo.asinh %y : tensor<7xf32> -> tensor<7xf32>
  %5 = chlo.atanh %x : tensor<7xf32> -> tensor<7xf32>
  %6 = chlo.atan %y : tensor<7xf32> -> tensor<7xf32>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>
}
