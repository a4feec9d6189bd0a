module @jit_negative_square {
  func.func public @main(%x: tensor<6xi16>) -> tensor<6xi1> {
    %zero = stablehlo.constant dense<0> : tensor<6xi16>
    %square = stablehlo.multiply %x, %x : tensor<6xi16>
    %negative = stablehlo.compare LT, %square, %zero, SIGNED : (tensor<6xi16>, tensor<6xi16>) -> tensor<6xi1>
    return %negative : tensor<6xi1>
  }
}
