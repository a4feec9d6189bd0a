// pass: hlo-to-tpu,tpu-pipeline-windows,tpu-assign-vmem,tpu-apply-vector-layout
// f32 becomes bf16 row by row of the tile: two registers are packed into one.
func.func @main(%x: tensor<16x128xf32>) -> tensor<16x128xbf16> {
  %0 = stablehlo.convert %x : (tensor<16x128xf32>) -> tensor<16x128xbf16>
  return %0 : tensor<16x128xbf16>
}
