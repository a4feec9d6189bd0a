// a constant unsigned start index taken as signed
func.func @main(%x: tensor<300xi32>) -> tensor<3xi32> {
  %i = stablehlo.constant dense<210> : tensor<ui8>
  %r = stablehlo.dynamic_slice %x, %i, sizes = [3] : (tensor<300xi32>, tensor<ui8>) -> tensor<3xi32>
  return %r : tensor<3xi32>
}
