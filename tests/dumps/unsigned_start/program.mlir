module @jit_unsigned_start {
  func.func public @main(%x: tensor<250xi32>) -> tensor<4xi32> {
    %start = stablehlo.constant dense<200> : tensor<ui8>
    %y = stablehlo.dynamic_slice %x, %start, sizes = [4] : (tensor<250xi32>, tensor<ui8>) -> tensor<4xi32>
    return %y : tensor<4xi32>
  }
}
