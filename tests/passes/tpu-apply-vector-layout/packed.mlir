// pass: hlo-to-tpu,tpu-pipeline-windows,tpu-assign-vmem,tpu-apply-vector-layout
// Two bf16 share a lane while all types are equally wide; the conversion takes them apart.
func.func @main(%x: tensor<16x128xbf16>) -> (tensor<16x128xbf16>, tensor<16x128xf32>) {
  %0 = stablehlo.add %x, %x : tensor<16x128xbf16>
  %1 = stablehlo.convert %0 : (tensor<16x128xbf16>) -> tensor<16x128xf32>
  return %0, %1 : tensor<16x128xbf16>, tensor<16x128xf32>
}
