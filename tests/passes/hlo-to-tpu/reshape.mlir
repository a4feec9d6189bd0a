// pass: hlo-to-tpu(block-bytes=4096)
// Blocks of the outermost of the joined dimensions: 4 rows of 8 are 32 of the joined one.
func.func @main(%a: tensor<10x8x128xf32>) -> tensor<80x128xf32> {
  %0 = hlo.fusion %a {kind = "kLoop"} : (tensor<10x8x128xf32>) -> tensor<80x128xf32> {
  ^bb0(%x: tensor<10x8x128xf32>):
    %1 = hlo.iota {iota_dimension = 0 : i64} : tensor<10x8x128xf32>
    %2 = hlo.add %x, %1 : tensor<10x8x128xf32>
    %3 = hlo.reshape %2 : (tensor<10x8x128xf32>) -> tensor<80x128xf32>
    hlo.return %3 : tensor<80x128xf32>
  }
  return %0 : tensor<80x128xf32>
}
