func.func @main(%n: tensor<i32>, %f: tensor<f32>) -> (tensor<i32>, tensor<f32>) {
  %two = stablehlo.constant dense<2.0> : tensor<f32>
  %step = stablehlo.constant dense<4> : tensor<i32>
  %limit = stablehlo.constant dense<9> : tensor<i32>
  %r:2 = stablehlo.while(%i = %n, %x = %f) : tensor<i32>, tensor<f32>
  cond {
    %c = stablehlo.compare LT, %i, %limit, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %j = stablehlo.add %i, %step : tensor<i32>
    %y = stablehlo.multiply %x, %two : tensor<f32>
    stablehlo.return %j, %y : tensor<i32>, tensor<f32>
  }
  return %r#0, %r#1 : tensor<i32>, tensor<f32>
}
