// pass: hlo-cse --level full
// Equal ops on NaN, infinities and signed zeros give equal bits; a value of the outer block serves inside a region.
func.func @main(%p: tensor<i1>, %x: tensor<16xf32>, %y: tensor<16xf32>) -> tensor<16xf32> {
  %0 = stablehlo.divide %x, %y : tensor<16xf32>
  %1 = "stablehlo.if"(%p) ({
    %2 = stablehlo.divide %x, %y : tensor<16xf32>
    %3 = stablehlo.maximum %0, %2 : tensor<16xf32>
    stablehlo.return %3 : tensor<16xf32>
  }, {
    stablehlo.return %0 : tensor<16xf32>
  }) : (tensor<i1>) -> tensor<16xf32>
  return %1 : tensor<16xf32>
}
