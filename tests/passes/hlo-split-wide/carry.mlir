// pass: hlo-split-wide
// 2^32 - 1 + 1 carries into the high half; 2^63 - 1 + 1 wraps.
func.func @main() -> (tensor<3xi64>, tensor<3xui64>) {
  %a = stablehlo.constant dense<[4294967295, 9223372036854775807, -1]> : tensor<3xi64>
  %b = stablehlo.constant dense<1> : tensor<3xi64>
  %c = stablehlo.constant dense<[4294967296, 18446744073709551615, 0]> : tensor<3xui64>
  %d = stablehlo.constant dense<1> : tensor<3xui64>
  %0 = stablehlo.add %a, %b : tensor<3xi64>
  %1 = stablehlo.subtract %c, %d : tensor<3xui64>
  return %0, %1 : tensor<3xi64>, tensor<3xui64>
}
