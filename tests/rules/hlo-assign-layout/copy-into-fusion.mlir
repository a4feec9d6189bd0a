// fires: floats integers bool complex
func.func @main(%x: tensor<4x6x$T>, %y: tensor<6x4x$T>, %p: tensor<6x4xi1>) -> tensor<6x4x$T> {
  %0 = hlo.transpose %x {permutation = array<i64: 1, 0>} : (tensor<4x6x$T>) -> tensor<6x4x$T>
  %1 = hlo.fusion %0, %y, %p {kind = "kLoop"} : (tensor<6x4x$T>, tensor<6x4x$T>, tensor<6x4xi1>) -> tensor<6x4x$T> {
  ^bb0(%a: tensor<6x4x$T>, %b: tensor<6x4x$T>, %q: tensor<6x4xi1>):
    %2 = hlo.reverse %b {dimensions = array<i64: 0>} : tensor<6x4x$T>
    %3 = hlo.select %q, %a, %2 : (tensor<6x4xi1>, tensor<6x4x$T>, tensor<6x4x$T>) -> tensor<6x4x$T>
    hlo.return %3 : tensor<6x4x$T>
  }
  return %1 : tensor<6x4x$T>
}
