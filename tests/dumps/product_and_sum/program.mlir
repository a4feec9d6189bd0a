module @jit_product_and_sum {
  func.func public @main(%x: tensor<16xf32>, %y: tensor<16xf32>) -> tensor<16xf32> {
    %xx = stablehlo.multiply %x, %x : tensor<16xf32>
    %sum = stablehlo.add %xx, %y : tensor<16xf32>
    return %sum : tensor<16xf32>
  }
}
