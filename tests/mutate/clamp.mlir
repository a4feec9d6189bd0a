// mutators: clamp-bounds
func.func @main(%x: tensor<40xf32>) -> tensor<40xf32> {
  %l = stablehlo.constant dense<-0.25> : tensor<f32>
  %h = stablehlo.constant dense<0.5> : tensor<f32>
  %0 = stablehlo.clamp %l, %x, %h : (tensor<f32>, tensor<40xf32>, tensor<f32>) -> tensor<40xf32>
  return %0 : tensor<40xf32>
}
