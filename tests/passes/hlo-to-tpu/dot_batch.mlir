// pass: hlo-to-tpu
// bf16 is added in f32 and rounded once; integers wrap; contracting dimensions may stand anywhere.
func.func @main(%a: tensor<3x2x5xbf16>, %b: tensor<3x5x4xbf16>, %c: tensor<2x6xi8>, %d: tensor<7x2xi8>) -> (tensor<3x2x4xbf16>, tensor<6x7xi32>) {
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<3x2x5xbf16>, tensor<3x5x4xbf16>) -> tensor<3x2x4xbf16>
  %1 = stablehlo.dot_general %c, %d, contracting_dims = [0] x [1] : (tensor<2x6xi8>, tensor<7x2xi8>) -> tensor<6x7xi32>
  return %0, %1 : tensor<3x2x4xbf16>, tensor<6x7xi32>
}
