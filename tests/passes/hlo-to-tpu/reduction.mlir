// pass: hlo-to-tpu(block-bytes=4096)
// Rows are added up block by block; what lies beyond row 20 is masked. bf16 is added in f32.
func.func @main(%x: tensor<20x128xbf16>, %y: tensor<30x128xf32>) -> (tensor<128xbf16>, tensor<128xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<bf16>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<20x128xbf16>, tensor<bf16>) -> tensor<128xbf16>
  %1 = stablehlo.reduce(%y init: %low) applies stablehlo.maximum across dimensions = [0] : (tensor<30x128xf32>, tensor<f32>) -> tensor<128xf32>
  return %0, %1 : tensor<128xbf16>, tensor<128xf32>
}
