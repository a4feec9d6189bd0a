// fires: floats signed unsigned bool
func.func @main(%x: tensor<5x1x$T>) -> tensor<5x1x$T> {
  %0 = "stablehlo.sort"(%x) ({
  ^bb0(%a: tensor<$T>, %c: tensor<$T>):
  %1 = stablehlo.compare LT, %a, %c : (tensor<$T>, tensor<$T>) -> tensor<i1>
  stablehlo.return %1 : tensor<i1>
  }) {dimension = 1 : i64, is_stable = true} : (tensor<5x1x$T>) -> tensor<5x1x$T>
  return %0 : tensor<5x1x$T>
}
