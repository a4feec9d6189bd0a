// pair: --level quick: Miscompile
module @m attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 2 : i32} {
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %r = stablehlo.optimization_barrier %x : tensor<4xf32>
    return %r : tensor<4xf32>
  }
}
