// block-bytes: 65536
// fault: f03 hlo-to-tpu start-unclamped
func.func @main(%x: tensor<20x130xf32>, %i: tensor<i32>) -> tensor<8x130xf32> {
  %z = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.dynamic_slice %x, %i, %z, sizes = [8, 130] : (tensor<20x130xf32>, tensor<i32>, tensor<i32>) -> tensor<8x130xf32>
  return %0 : tensor<8x130xf32>
}
