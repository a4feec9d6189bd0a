// pass: hlo-simplify
// A wider type on the way changes nothing; a narrower one, or one of another kind, does.
func.func @main(%x: tensor<5xbf16>, %i: tensor<5xi8>) -> (tensor<5xbf16>, tensor<5xbf16>, tensor<5xf16>, tensor<5xi8>, tensor<5xui8>) {
  %0 = stablehlo.convert %x : (tensor<5xbf16>) -> tensor<5xf32>
  %1 = stablehlo.reduce_precision %0, format = e8m23 : tensor<5xf32>
  %2 = stablehlo.convert %1 : (tensor<5xf32>) -> tensor<5xbf16>
  %3 = stablehlo.convert %x : (tensor<5xbf16>) -> tensor<5xf16>
  %4 = stablehlo.convert %3 : (tensor<5xf16>) -> tensor<5xbf16>
  %5 = stablehlo.convert %0 : (tensor<5xf32>) -> tensor<5xf16>
  %6 = stablehlo.convert %i : (tensor<5xi8>) -> tensor<5xi64>
  %7 = stablehlo.convert %6 : (tensor<5xi64>) -> tensor<5xi8>
  %8 = stablehlo.bitcast_convert %7 : (tensor<5xi8>) -> tensor<5xi8>
  %9 = stablehlo.convert %i : (tensor<5xi8>) -> tensor<5xf32>
  %10 = stablehlo.convert %9 : (tensor<5xf32>) -> tensor<5xui8>
  return %2, %4, %5, %8, %10 : tensor<5xbf16>, tensor<5xbf16>, tensor<5xf16>, tensor<5xi8>, tensor<5xui8>
}
