// pass: hlo-simplify
// Integers wrap and have one zero.
func.func @main(%x: tensor<5xi8>, %y: tensor<5xui32>) -> (tensor<5xi8>, tensor<5xi8>, tensor<5xi8>, tensor<5xi8>, tensor<5xui32>, tensor<5xui32>) {
  %zero = stablehlo.constant dense<0> : tensor<5xi8>
  %one = stablehlo.constant dense<1> : tensor<5xi8>
  %c = stablehlo.constant dense<100> : tensor<5xi8>
  %d = stablehlo.constant dense<3000000000> : tensor<5xui32>
  %0 = stablehlo.add %x, %zero : tensor<5xi8>
  %1 = stablehlo.multiply %0, %zero : tensor<5xi8>
  %2 = stablehlo.subtract %0, %0 : tensor<5xi8>
  %3 = stablehlo.remainder %0, %one : tensor<5xi8>
  %4 = stablehlo.add %0, %c : tensor<5xi8>
  %5 = stablehlo.add %c, %4 : tensor<5xi8>
  %6 = stablehlo.multiply %y, %d : tensor<5xui32>
  %7 = stablehlo.multiply %6, %d : tensor<5xui32>
  %8 = stablehlo.subtract %y, %y : tensor<5xui32>
  return %1, %2, %3, %5, %7, %8 : tensor<5xi8>, tensor<5xi8>, tensor<5xi8>, tensor<5xi8>, tensor<5xui32>, tensor<5xui32>
}
