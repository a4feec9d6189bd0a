// pair: --level quick: Miscompile
func.func @main(%n: tensor<i32>) -> tensor<i32> {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %r:2 = stablehlo.while(%m = %n, %k = %zero) : tensor<i32>, tensor<i32>
   cond {
    %c = stablehlo.compare NE, %m, %one, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %rem = stablehlo.remainder %m, %two : tensor<i32>
    %even = stablehlo.compare EQ, %rem, %zero, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %half = stablehlo.divide %m, %two : tensor<i32>
    %t = stablehlo.multiply %m, %three : tensor<i32>
    %t1 = stablehlo.add %t, %one : tensor<i32>
    %next = stablehlo.select %even, %half, %t1 : tensor<i1>, tensor<i32>
    %k1 = stablehlo.add %k, %two : tensor<i32>
    stablehlo.return %next, %k1 : tensor<i32>, tensor<i32>
  }
  return %r#1 : tensor<i32>
}
