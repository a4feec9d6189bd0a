// pair: --contract xla: Miscompile
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %a = %x) : tensor<i32>, tensor<f32>
  cond {
    %n = stablehlo.constant dense<7> : tensor<i32>
    %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %i, %one : tensor<i32>
    %two = stablehlo.constant dense<2.0> : tensor<f32>
    %near = stablehlo.constant dense<0.010416667> : tensor<f32>
    %g = stablehlo.multiply %a, %near : tensor<f32>
    %h = stablehlo.subtract %g, %two : tensor<f32>
    %m = stablehlo.multiply %near, %near : tensor<f32>
    %s = stablehlo.multiply %h, %m : tensor<f32>
    %t = stablehlo.sine %a : tensor<f32>
    %u = stablehlo.multiply %t, %near : tensor<f32>
    %v = stablehlo.add %s, %u : tensor<f32>
    stablehlo.return %next, %v : tensor<i32>, tensor<f32>
  }
  return %r#1 : tensor<f32>
}
