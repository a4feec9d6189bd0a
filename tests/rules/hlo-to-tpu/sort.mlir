// fires: i8 i16 i32 ui8 ui16 ui32
func.func @main(%x: tensor<3x300x$T>, %y: tensor<3x300x$T>) -> (tensor<3x300x$T>, tensor<3x300x$T>) {
  %0:2 = "stablehlo.sort"(%x, %y) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<$T>, %b: tensor<$T>, %c: tensor<$T>, %d: tensor<$T>):
    %1 = stablehlo.compare LT, %a, %b : (tensor<$T>, tensor<$T>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<3x300x$T>, tensor<3x300x$T>) -> (tensor<3x300x$T>, tensor<3x300x$T>)
  return %0#0, %0#1 : tensor<3x300x$T>, tensor<3x300x$T>
}
