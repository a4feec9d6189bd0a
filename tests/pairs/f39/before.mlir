// an update by a shifted slice of its own buffer read after the write
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %s = stablehlo.slice %x [0:7] : (tensor<8xf32>) -> tensor<7xf32>
  %i = stablehlo.constant dense<1> : tensor<i32>
  %r = stablehlo.dynamic_update_slice %x, %s, %i : (tensor<8xf32>, tensor<7xf32>, tensor<i32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}
