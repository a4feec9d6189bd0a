// pass: hlo-simplify
// Slices of slices and of concatenations, strided ones too.
func.func @main(%x: tensor<20xf32>, %y: tensor<6xf32>) -> (tensor<3xf32>, tensor<4xf32>, tensor<26xf32>, tensor<20xf32>) {
  %0 = stablehlo.slice %x [1:19:2] : (tensor<20xf32>) -> tensor<9xf32>
  %1 = stablehlo.slice %0 [2:8:2] : (tensor<9xf32>) -> tensor<3xf32>
  %2 = stablehlo.concatenate %x, %y, dim = 0 : (tensor<20xf32>, tensor<6xf32>) -> tensor<26xf32>
  %3 = stablehlo.slice %2 [21:25] : (tensor<26xf32>) -> tensor<4xf32>
  %4 = stablehlo.slice %2 [0:26] : (tensor<26xf32>) -> tensor<26xf32>
  %5 = stablehlo.slice %x [0:7] : (tensor<20xf32>) -> tensor<7xf32>
  %6 = stablehlo.slice %x [7:20] : (tensor<20xf32>) -> tensor<13xf32>
  %7 = stablehlo.concatenate %5, %6, dim = 0 : (tensor<7xf32>, tensor<13xf32>) -> tensor<20xf32>
  return %1, %3, %4, %7 : tensor<3xf32>, tensor<4xf32>, tensor<26xf32>, tensor<20xf32>
}
