// Two calls with a branch inside, on values that are equal over the reals and have other bits: each branch is compared with its own.
func.func @main(%a: tensor<7xf32>) -> (tensor<7xf32>, tensor<7xf32>) {
  %large = stablehlo.constant dense<1.0e9> : tensor<7xf32>
  %up = stablehlo.add %a, %large : tensor<7xf32>
  %rounded = stablehlo.subtract %up, %large : tensor<7xf32>
  %r = call @doubled(%rounded) : (tensor<7xf32>) -> tensor<7xf32>
  %s = call @doubled(%a) : (tensor<7xf32>) -> tensor<7xf32>
  return %r, %s : tensor<7xf32>, tensor<7xf32>
}
func.func private @doubled(%x: tensor<7xf32>) -> tensor<7xf32> {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %which = stablehlo.add %one, %one : tensor<i32>
  %r = "stablehlo.case"(%which) ({
    stablehlo.return %x : tensor<7xf32>
  }, {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %both = stablehlo.add %zero, %zero : tensor<i32>
    %float = stablehlo.convert %both : (tensor<i32>) -> tensor<f32>
    %wide = stablehlo.broadcast_in_dim %float, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %sum = stablehlo.add %x, %x : tensor<7xf32>
    %shifted = stablehlo.subtract %sum, %wide : tensor<7xf32>
    stablehlo.return %shifted : tensor<7xf32>
  }) : (tensor<i32>) -> tensor<7xf32>
  return %r : tensor<7xf32>
}
