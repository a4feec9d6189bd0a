// pair: --contract unknown --level full: Equal
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %h = stablehlo.slice %x [0:1] : (tensor<8xf32>) -> tensor<1xf32>
  %s = stablehlo.slice %x [0:7] : (tensor<8xf32>) -> tensor<7xf32>
  %r = stablehlo.concatenate %h, %s, dim = 0 : (tensor<1xf32>, tensor<7xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}
