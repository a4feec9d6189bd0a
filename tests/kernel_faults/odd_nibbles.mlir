// block-bytes: 65536
// fault: f53 hlo-to-tpu part-offset
func.func @main(%x: tensor<40x130xi4>) -> tensor<39x129xi8> {
  %0 = stablehlo.slice %x [1:40, 1:130] : (tensor<40x130xi4>) -> tensor<39x129xi4>
  %1 = stablehlo.convert %0 : (tensor<39x129xi4>) -> tensor<39x129xi8>
  return %1 : tensor<39x129xi8>
}
