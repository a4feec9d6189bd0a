// pass: hlo-to-tpu(block-bytes=8192)
// What is cut, padded or joined is there in whole; the other dimension is divided.
func.func @main(%a: tensor<40x60xf32>) -> (tensor<40x9xf32>, tensor<40x130xf32>, tensor<60x40xf32>, tensor<40x120xf32>) {
  %z = stablehlo.constant dense<1.0> : tensor<f32>
  %0 = stablehlo.slice %a [0:40, 3:20:2] : (tensor<40x60xf32>) -> tensor<40x9xf32>
  %1 = stablehlo.pad %a, %z, low = [0, 12], high = [0, -1], interior = [0, 1] : (tensor<40x60xf32>, tensor<f32>) -> tensor<40x130xf32>
  %2 = stablehlo.transpose %a, dims = [1, 0] : (tensor<40x60xf32>) -> tensor<60x40xf32>
  %3 = stablehlo.reverse %a, dims = [1] : tensor<40x60xf32>
  %4 = stablehlo.concatenate %a, %3, dim = 1 : (tensor<40x60xf32>, tensor<40x60xf32>) -> tensor<40x120xf32>
  return %0, %1, %2, %4 : tensor<40x9xf32>, tensor<40x130xf32>, tensor<60x40xf32>, tensor<40x120xf32>
}
