// pass: hlo-simplify
// Bitwise logic and shifts.
func.func @main(%x: tensor<6xi16>, %y: tensor<6xui8>, %p: tensor<6xi1>) -> (tensor<6xi16>, tensor<6xi16>, tensor<6xi16>, tensor<6xui8>, tensor<6xui8>, tensor<6xi1>) {
  %zero = stablehlo.constant dense<0> : tensor<6xi16>
  %ones = stablehlo.constant dense<255> : tensor<6xui8>
  %true = stablehlo.constant dense<true> : tensor<6xi1>
  %0 = stablehlo.not %x : tensor<6xi16>
  %1 = stablehlo.not %0 : tensor<6xi16>
  %2 = stablehlo.and %1, %1 : tensor<6xi16>
  %3 = stablehlo.or %2, %2 : tensor<6xi16>
  %4 = stablehlo.or %zero, %3 : tensor<6xi16>
  %5 = stablehlo.xor %4, %zero : tensor<6xi16>
  %6 = stablehlo.shift_right_arithmetic %5, %zero : tensor<6xi16>
  %7 = stablehlo.and %x, %zero : tensor<6xi16>
  %8 = stablehlo.xor %x, %x : tensor<6xi16>
  %9 = stablehlo.and %ones, %y : tensor<6xui8>
  %10 = stablehlo.xor %9, %ones : tensor<6xui8>
  %11 = stablehlo.or %y, %ones : tensor<6xui8>
  %12 = stablehlo.and %p, %true : tensor<6xi1>
  return %6, %7, %8, %10, %11, %12 : tensor<6xi16>, tensor<6xi16>, tensor<6xi16>, tensor<6xui8>, tensor<6xui8>, tensor<6xi1>
}
