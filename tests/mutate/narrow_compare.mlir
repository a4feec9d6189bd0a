// mutators: compare-unrounded
func.func @main(%x: tensor<200xbf16>, %y: tensor<200xbf16>) -> tensor<200xi1> {
  %0 = stablehlo.divide %x, %y : tensor<200xbf16>
  %1 = stablehlo.add %0, %x : tensor<200xbf16>
  %2 = stablehlo.subtract %1, %x : tensor<200xbf16>
  %3 = stablehlo.compare GE, %2, %0 : (tensor<200xbf16>, tensor<200xbf16>) -> tensor<200xi1>
  return %3 : tensor<200xi1>
}
