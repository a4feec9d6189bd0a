// block-bytes: 65536
// fault: f88 hlo-to-tpu tie-to-last
func.func @main(%x: tensor<4x20xi32>, %i: tensor<4x20xi32>) -> (tensor<4xi32>, tensor<4xi32>) {
  %low = stablehlo.constant dense<-2147483648> : tensor<i32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.reduce(%x init: %low), (%i init: %z) across dimensions = [1] : (tensor<4x20xi32>, tensor<4x20xi32>, tensor<i32>, tensor<i32>) -> (tensor<4xi32>, tensor<4xi32>)
   reducer(%a: tensor<i32>, %c: tensor<i32>) (%b: tensor<i32>, %d: tensor<i32>) {
    %1 = stablehlo.compare GE, %a, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %2 = stablehlo.select %1, %a, %c : tensor<i1>, tensor<i32>
    %3 = stablehlo.select %1, %b, %d : tensor<i1>, tensor<i32>
    stablehlo.return %2, %3 : tensor<i32>, tensor<i32>
  }
  return %0#0, %0#1 : tensor<4xi32>, tensor<4xi32>
}
