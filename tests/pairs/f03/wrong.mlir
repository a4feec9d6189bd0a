// pair: --contract unknown --level full: Miscompile
func.func @main(%x: tensor<10xi32>, %i: tensor<i32>, %j: tensor<i32>) -> tensor<2xi32> {
  %loa = stablehlo.constant dense<0> : tensor<i32>
  %hia = stablehlo.constant dense<8> : tensor<i32>
  %a = stablehlo.clamp %loa, %i, %hia : tensor<i32>
  %lob = stablehlo.constant dense<0> : tensor<i32>
  %hib = stablehlo.constant dense<6> : tensor<i32>
  %b = stablehlo.clamp %lob, %j, %hib : tensor<i32>
  %s = stablehlo.add %a, %b : tensor<i32>
  %r = stablehlo.dynamic_slice %x, %s, sizes = [2] : (tensor<10xi32>, tensor<i32>) -> tensor<2xi32>
  return %r : tensor<2xi32>
}
