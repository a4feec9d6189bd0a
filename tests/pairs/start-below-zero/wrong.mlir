// pair: --contract unknown --level full: Miscompile
func.func @main(%x: tensor<7xf32>, %i: tensor<i32>) -> tensor<2xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %n = stablehlo.constant dense<7> : tensor<i32>
  %neg = stablehlo.compare LT, %i, %zero, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %w = stablehlo.add %i, %n : tensor<i32>
  %at = stablehlo.select %neg, %w, %i : tensor<i1>, tensor<i32>
  %0 = stablehlo.dynamic_slice %x, %at, sizes = [2] : (tensor<7xf32>, tensor<i32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
