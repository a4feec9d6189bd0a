func.func @main(%n: tensor<i32>) -> tensor<i32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %by = stablehlo.constant dense<1> : tensor<i32>
  %limit = stablehlo.constant dense<30000> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %x = %n) : tensor<i32>, tensor<i32>
  cond {
    %c = stablehlo.compare LT, %i, %limit, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %j = stablehlo.add %i, %by : tensor<i32>
    %y = stablehlo.add %x, %by : tensor<i32>
    stablehlo.return %j, %y : tensor<i32>, tensor<i32>
  }
  return %r#1 : tensor<i32>
}
