// pair: --contract unknown --level full: Miscompile
func.func @main(%x: tensor<4x4xf32>, %b: tensor<4x3xf32>) -> tensor<4x3xf32> {
  %a = stablehlo.add %x, %x : tensor<4x4xf32>
  %b0 = stablehlo.slice %b [0:4, 0:1] : (tensor<4x3xf32>) -> tensor<4x1xf32>
  %b1 = stablehlo.slice %b [0:4, 1:3] : (tensor<4x3xf32>) -> tensor<4x2xf32>
  %y0 = stablehlo.custom_call @lapack_strsm_ffi(%a, %b0) {mhlo.backend_config = {diag = 78 : ui8, side = 76 : ui8, trans_x = 78 : ui8, uplo = 76 : ui8}} : (tensor<4x4xf32>, tensor<4x1xf32>) -> tensor<4x1xf32>
  %y1 = stablehlo.custom_call @lapack_strsm_ffi(%a, %b1) {mhlo.backend_config = {diag = 78 : ui8, side = 76 : ui8, trans_x = 84 : ui8, uplo = 76 : ui8}} : (tensor<4x4xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
  %y = stablehlo.concatenate %y0, %y1, dim = 1 : (tensor<4x1xf32>, tensor<4x2xf32>) -> tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}
