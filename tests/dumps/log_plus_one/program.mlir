module @jit_log_plus_one {
  func.func public @main(%x: tensor<5xf64>) -> tensor<5xf64> {
    %y = stablehlo.log_plus_one %x : tensor<5xf64>
    return %y : tensor<5xf64>
  }
}
