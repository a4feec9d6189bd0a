// pass: hlo-canonicalize-dots
// %h is symmetric over the reals and not in f32: its transpose is another value, not a wrong %h.
func.func @main(%g: tensor<6x6xf32>, %r: tensor<6xf32>, %v: tensor<6x4xf32>) -> tensor<6x4xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %t = stablehlo.transpose %g, dims = [1, 0] : (tensor<6x6xf32>) -> tensor<6x6xf32>
  %s = stablehlo.add %g, %t : tensor<6x6xf32>
  %rows = stablehlo.broadcast_in_dim %r, dims = [0] : (tensor<6xf32>) -> tensor<6x6xf32>
  %columns = stablehlo.broadcast_in_dim %r, dims = [1] : (tensor<6xf32>) -> tensor<6x6xf32>
  %all:3 = stablehlo.while(%i = %zero, %h = %s, %w = %v) : tensor<i32>, tensor<6x6xf32>, tensor<6x4xf32>
    cond {
      %three = stablehlo.constant dense<3> : tensor<i32>
      %c = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %1 = stablehlo.add %i, %one : tensor<i32>
      %2 = stablehlo.multiply %h, %rows : tensor<6x6xf32>
      %3 = stablehlo.multiply %2, %columns : tensor<6x6xf32>
      %4 = stablehlo.dot_general %h, %w, contracting_dims = [0] x [0] : (tensor<6x6xf32>, tensor<6x4xf32>) -> tensor<6x4xf32>
      stablehlo.return %1, %3, %4 : tensor<i32>, tensor<6x6xf32>, tensor<6x4xf32>
    }
  return %all#2 : tensor<6x4xf32>
}
