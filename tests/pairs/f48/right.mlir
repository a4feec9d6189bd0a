// pair: --contract strict --level full: Equal
func.func @main(%x: tensor<32xf32>) -> tensor<i32> {
  %ninf = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %izero = stablehlo.constant dense<0> : tensor<i32>
  %m = stablehlo.reduce(%x init: %ninf) applies stablehlo.maximum across dimensions = [0] : (tensor<32xf32>, tensor<f32>) -> tensor<f32>
  %b = stablehlo.broadcast_in_dim %m, dims = [] : (tensor<f32>) -> tensor<32xf32>
  %d = stablehlo.subtract %x, %b : tensor<32xf32>
  %e = stablehlo.exponential %d : tensor<32xf32>
  %s = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<32xf32>, tensor<f32>) -> tensor<f32>
  %c = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<32xf32>
  %p = stablehlo.divide %e, %c : tensor<32xf32>
  %ninf2 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %p2 = stablehlo.reshape %p : (tensor<32xf32>) -> tensor<32xf32>
  %i = stablehlo.iota dim = 0 : tensor<32xi32>
  %r:2 = stablehlo.reduce(%p2 init: %ninf2), (%i init: %izero) across dimensions = [0] : (tensor<32xf32>, tensor<32xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)
   reducer(%va: tensor<f32>, %vb: tensor<f32>) (%ia: tensor<i32>, %ib: tensor<i32>) {
    %g = stablehlo.compare GT, %va, %vb : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %q = stablehlo.compare EQ, %va, %vb : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %l = stablehlo.compare LT, %ia, %ib : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %k = stablehlo.and %q, %l : tensor<i1>
    %o = stablehlo.or %g, %k : tensor<i1>
    %vv = stablehlo.select %o, %va, %vb : tensor<i1>, tensor<f32>
    %vi = stablehlo.select %o, %ia, %ib : tensor<i1>, tensor<i32>
    stablehlo.return %vv, %vi : tensor<f32>, tensor<i32>
  }
  return %r#1 : tensor<i32>
}
