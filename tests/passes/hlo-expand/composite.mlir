// pass: hlo-expand
// A composite is a call of its decomposition; one that says what function it approximates stays.
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = stablehlo.composite "my.double" %x {decomposition = @double} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = stablehlo.composite "chlo.sinh" %x {composite_attributes = {max_ulp = 1.000000e+02 : f64}, decomposition = @sinh} : (tensor<4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}
func.func private @double(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @sinh(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.exponential %x : tensor<4xf32>
  %1 = stablehlo.negate %x : tensor<4xf32>
  %2 = stablehlo.exponential %1 : tensor<4xf32>
  %3 = stablehlo.subtract %0, %2 : tensor<4xf32>
  %4 = stablehlo.add %3, %3 : tensor<4xf32>
  %5 = stablehlo.sqrt %4 : tensor<4xf32>
  return %5 : tensor<4xf32>
}
