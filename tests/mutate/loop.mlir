// mutators: trip-count carry-swapped carry-stale
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %n = stablehlo.constant dense<5> : tensor<i32>
  %0:3 = stablehlo.while(%i = %zero, %a = %x, %b = %y) : tensor<i32>, tensor<4xf32>, tensor<4xf32>
  cond {
    %1 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %2 = stablehlo.add %i, %one : tensor<i32>
    %3 = stablehlo.add %a, %b : tensor<4xf32>
    %4 = stablehlo.subtract %a, %3 : tensor<4xf32>
    stablehlo.return %2, %3, %4 : tensor<i32>, tensor<4xf32>, tensor<4xf32>
  }
  return %0#1, %0#2 : tensor<4xf32>, tensor<4xf32>
}
