// pair: --contract strict: HiddenMiscompile
func.func @main(%x: tensor<8x16xf32>, %r: tensor<8xf32>, %v: tensor<8xf32>) -> tensor<8xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %g = stablehlo.dot_general %x, %x, contracting_dims = [1] x [1] : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x8xf32>
  %rows = stablehlo.broadcast_in_dim %r, dims = [0] : (tensor<8xf32>) -> tensor<8x8xf32>
  %columns = stablehlo.broadcast_in_dim %r, dims = [1] : (tensor<8xf32>) -> tensor<8x8xf32>
  %all:3 = stablehlo.while(%i = %zero, %h = %g, %w = %v) : tensor<i32>, tensor<8x8xf32>, tensor<8xf32>
  cond {
    %go = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %next = stablehlo.add %i, %one : tensor<i32>
    %c = stablehlo.constant dense<1.0000001> : tensor<8x8xf32>
    %t = stablehlo.multiply %h, %c : tensor<8x8xf32>
    %y = stablehlo.dot_general %t, %w, contracting_dims = [0] x [0] : (tensor<8x8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %a = stablehlo.multiply %h, %rows : tensor<8x8xf32>
    %b = stablehlo.multiply %a, %columns : tensor<8x8xf32>
    stablehlo.return %next, %b, %y : tensor<i32>, tensor<8x8xf32>, tensor<8xf32>
  }
  return %all#2 : tensor<8xf32>
}
