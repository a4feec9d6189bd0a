// a reducer taken for its root
func.func @main(%x: tensor<64xf32>) -> tensor<f32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %r = stablehlo.reduce(%x init: %z) across dimensions = [0] : (tensor<64xf32>, tensor<f32>) -> tensor<f32>
   reducer(%a: tensor<f32>, %b: tensor<f32>) {
    %d = stablehlo.abs %a : tensor<f32>
    %c = stablehlo.abs %b : tensor<f32>
    %s = stablehlo.maximum %d, %c : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }
  return %r : tensor<f32>
}
