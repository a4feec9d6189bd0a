// pair: --contract strict: NumericsViolation
func.func @main(%x: tensor<3x4xf32>, %y: tensor<4x3xf32>) -> tensor<3x3xf32> {
  %r = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<3x4xf32>, tensor<4x3xf32>) -> tensor<3x3xf32>
  return %r : tensor<3x3xf32>
}
