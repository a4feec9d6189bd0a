// pass: hlo-split-wide
// By 0, within a half, by a half, across, by all, by more than all, and by what is no amount.
func.func @main(%x: tensor<8xi64>) -> (tensor<8xi64>, tensor<8xi64>, tensor<8xi64>) {
  %n = stablehlo.constant dense<[0, 5, 31, 32, 33, 63, 64, -1]> : tensor<8xi64>
  %m = stablehlo.constant dense<-1311768467294899695> : tensor<8xi64>
  %y = stablehlo.xor %x, %m : tensor<8xi64>
  %0 = stablehlo.shift_left %y, %n : tensor<8xi64>
  %1 = stablehlo.shift_right_logical %y, %n : tensor<8xi64>
  %2 = stablehlo.shift_right_arithmetic %y, %n : tensor<8xi64>
  return %0, %1, %2 : tensor<8xi64>, tensor<8xi64>, tensor<8xi64>
}
