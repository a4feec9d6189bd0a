// a table hoisted out of the loop whose body writes it
func.func @main(%b: tensor<8xi32>) -> tensor<8xi32> {
  %t = stablehlo.constant dense<0> : tensor<8xi32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %n = stablehlo.constant dense<8> : tensor<i32>
  %0:3 = stablehlo.while(%i = %zero, %acc = %b, %table = %t) : tensor<i32>, tensor<8xi32>, tensor<8xi32>
  cond {
    %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %w = stablehlo.dynamic_slice %acc, %i, sizes = [1] : (tensor<8xi32>, tensor<i32>) -> tensor<1xi32>
    %u = stablehlo.dynamic_update_slice %t, %w, %i : (tensor<8xi32>, tensor<1xi32>, tensor<i32>) -> tensor<8xi32>
    %s = stablehlo.add %acc, %u : tensor<8xi32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %s, %table : tensor<i32>, tensor<8xi32>, tensor<8xi32>
  }
  return %0#1 : tensor<8xi32>
}
