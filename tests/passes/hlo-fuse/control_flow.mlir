// pass: hlo-fuse
// Bodies of loops and branches are blocks of their own; nothing goes in or out of them.
func.func @main(%n: tensor<i32>, %x: tensor<8xf32>) -> tensor<8xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<8xf32>
    cond {
      %three = stablehlo.constant dense<3> : tensor<i32>
      %c = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %1 = stablehlo.add %i, %one : tensor<i32>
      %2 = stablehlo.cosine %v : tensor<8xf32>
      %3 = stablehlo.multiply %2, %x : tensor<8xf32>
      stablehlo.return %1, %3 : tensor<i32>, tensor<8xf32>
    }
  return %0#1 : tensor<8xf32>
}
