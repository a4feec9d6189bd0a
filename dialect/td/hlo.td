// The `hlo` dialect: every op of the StableHLO specification and of chlo under
// its own name, and what HLO has beyond them.
//
// ODS checks structure only: operand, result, region counts, attribute kinds and
// words. Shape rules and all other constraints are Rust, beside the op
// (dialect/src/hlo/<op>.rs). Attributes are flat and of upstream kinds.

#ifndef TILEPROOF_HLO_TD
#define TILEPROOF_HLO_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Hlo_Dialect : Dialect {
  let name = "hlo";
  let cppNamespace = "::hlo";
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  // Attributes stay in the dictionary: the C API reads them without rebuilding it.
  let usePropertiesForAttributes = 0;
}

//===-- types and the layout attribute ------------------------------------===//

def Hlo_TokenType : TypeDef<Hlo_Dialect, "Token"> { let mnemonic = "token"; }

// #hlo.layout<[1, 0] tiles = [[8, 128], [2, 1]] bounds = [-1, 16]>
// minor_to_major, sub-tiles outermost first, bounds of dynamic dimensions
// (-1: none). An empty minor_to_major on a tensor of rank > 0 says nothing about
// the order.
def Hlo_LayoutAttr : AttrDef<Hlo_Dialect, "Layout"> {
  let mnemonic = "layout";
  let parameters = (ins
    "::mlir::DenseI64ArrayAttr":$minor_to_major,
    OptionalArrayRefParameter<"::mlir::DenseI64ArrayAttr">:$tiles,
    OptionalParameter<"::mlir::DenseI64ArrayAttr">:$bounds);
  let assemblyFormat = [{
    `<` $minor_to_major (`tiles` `=` `[` $tiles^ `]`)? (`bounds` `=` $bounds^)? `>`
  }];
}

def Hlo_Quantized : Type<CPred<"::llvm::isa<::mlir::quant::QuantizedType>($_self)">, "quantized">;
def Hlo_Tensor : RankedTensorOf<[AnyInteger, AnyFloat, AnyComplex, Hlo_Quantized]>;
def Hlo_Token : Type<CPred<"::llvm::isa<::hlo::TokenType>($_self)">, "token">;
def Hlo_Value : AnyTypeOf<[Hlo_Tensor, Hlo_Token, AnyTuple]>;

//===-- attribute kinds ---------------------------------------------------===//

class Hlo_Words<list<string> words> : ConfinedAttr<StrAttr, [AttrConstraint<
  CPred<"::llvm::is_contained(::llvm::ArrayRef<::llvm::StringRef>{\"" # !interleave(words, "\", \"") #
        "\"}, ::llvm::cast<::mlir::StringAttr>($_self).getValue())">,
  "one of " # !interleave(words, ", ")>]>;

def Ints : TypedArrayAttrBase<DenseI64ArrayAttr, "list of integer lists">;
defvar Words = StrArrayAttr;
def OptInt : OptionalAttr<I64Attr>;
def OptInts : OptionalAttr<DenseI64ArrayAttr>;
def OptBool : OptionalAttr<BoolAttr>;
def OptStr : OptionalAttr<StrAttr>;
def OptArray : OptionalAttr<ArrayAttr>;
def OptDict : OptionalAttr<DictionaryAttr>;
class Default<Attr kind, string value> : DefaultValuedAttr<kind, value>;
def IntsOrNone : Default<DenseI64ArrayAttr, "{}">;
def No : Default<BoolAttr, "false">;
def One : Default<I64Attr, "1">;
def Zero : Default<I64Attr, "0">;
// One word an operand: DEFAULT, HIGH, HIGHEST.
def Precision : OptionalAttr<Words>;
def Comparison : Hlo_Words<["EQ", "NE", "GE", "GT", "LE", "LT"]>;
def ComparisonType : Hlo_Words<["FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED"]>;
def FftType : Hlo_Words<["FFT", "IFFT", "RFFT", "IRFFT"]>;
def RngDistribution : Hlo_Words<["UNIFORM", "NORMAL"]>;
def RngAlgorithm : Hlo_Words<["DEFAULT", "THREE_FRY", "PHILOX"]>;
def Transposition : Hlo_Words<["NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"]>;

//===-- forms -------------------------------------------------------------===//

// `operands {attributes} : (types) -> types`, the form of every op that has no better one.
class Hlo_Op<string mnemonic, list<Trait> traits = [Pure]> : Op<Hlo_Dialect, mnemonic, traits> {
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins)>];  // declared only: ops are built through the C API
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

// An op whose region computes a function of its own arguments.
class Hlo_Body<string mnemonic, string region, list<Trait> traits = [Pure]> : Hlo_Op<mnemonic, traits> {
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results) $" # region;
}

// `%a : T` when operand and result agree, else `%a : (T) -> U`.
class Hlo_Unary<string mnemonic, dag extra = (ins), list<Trait> traits = [Pure]> : Hlo_Op<mnemonic, traits> {
  let arguments = !con((ins Hlo_Tensor:$operand), extra);
  let results = (outs Hlo_Tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` custom<OpTypes>(type($operand), type($result))";
}
class Hlo_Accurate<string mnemonic> : Hlo_Unary<mnemonic, (ins OptDict:$result_accuracy)>;

class Hlo_Binary<string mnemonic, dag extra = (ins)> : Hlo_Op<mnemonic> {
  let arguments = !con((ins Hlo_Tensor:$lhs, Hlo_Tensor:$rhs), extra);
  let results = (outs Hlo_Tensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` custom<OpTypes>(type($lhs), type($rhs), type($result))";
}

// No operands, one tensor.
class Hlo_Source<string mnemonic, dag extra = (ins), list<Trait> traits = [Pure]> : Hlo_Op<mnemonic, traits> {
  let arguments = extra;
  let results = (outs Hlo_Tensor:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

//===-- elementwise -------------------------------------------------------===//

def Hlo_AbsOp : Hlo_Unary<"abs">;
def Hlo_CbrtOp : Hlo_Accurate<"cbrt">;
def Hlo_CeilOp : Hlo_Unary<"ceil">;
def Hlo_ConvertOp : Hlo_Unary<"convert">;
def Hlo_CosineOp : Hlo_Accurate<"cosine">;
def Hlo_CountLeadingZerosOp : Hlo_Unary<"count_leading_zeros">;
def Hlo_ExponentialOp : Hlo_Accurate<"exponential">;
def Hlo_ExponentialMinusOneOp : Hlo_Accurate<"exponential_minus_one">;
def Hlo_FloorOp : Hlo_Unary<"floor">;
def Hlo_ImagOp : Hlo_Unary<"imag">;
def Hlo_IsFiniteOp : Hlo_Unary<"is_finite">;
def Hlo_LogOp : Hlo_Accurate<"log">;
def Hlo_LogPlusOneOp : Hlo_Accurate<"log_plus_one">;
def Hlo_LogisticOp : Hlo_Accurate<"logistic">;
def Hlo_NegateOp : Hlo_Unary<"negate">;
def Hlo_NotOp : Hlo_Unary<"not">;
def Hlo_PopcntOp : Hlo_Unary<"popcnt">;
def Hlo_RealOp : Hlo_Unary<"real">;
def Hlo_ReducePrecisionOp : Hlo_Unary<"reduce_precision", (ins I64Attr:$exponent_bits, I64Attr:$mantissa_bits)>;
def Hlo_RoundNearestAfzOp : Hlo_Unary<"round_nearest_afz">;
def Hlo_RoundNearestEvenOp : Hlo_Unary<"round_nearest_even">;
def Hlo_RsqrtOp : Hlo_Accurate<"rsqrt">;
def Hlo_SignOp : Hlo_Unary<"sign">;
def Hlo_SineOp : Hlo_Accurate<"sine">;
def Hlo_SqrtOp : Hlo_Accurate<"sqrt">;
def Hlo_TanOp : Hlo_Accurate<"tan">;
def Hlo_TanhOp : Hlo_Accurate<"tanh">;
def Hlo_UniformDequantizeOp : Hlo_Unary<"uniform_dequantize">;
def Hlo_UniformQuantizeOp : Hlo_Unary<"uniform_quantize">;

// chlo
def Hlo_AcosOp : Hlo_Unary<"acos">;
def Hlo_AcoshOp : Hlo_Unary<"acosh">;
def Hlo_AsinOp : Hlo_Unary<"asin">;
def Hlo_AsinAcosKernelOp : Hlo_Unary<"asin_acos_kernel">;
def Hlo_AsinhOp : Hlo_Unary<"asinh">;
def Hlo_AtanOp : Hlo_Unary<"atan">;
def Hlo_AtanhOp : Hlo_Unary<"atanh">;
def Hlo_BesselI1eOp : Hlo_Unary<"bessel_i1e">;
def Hlo_ConjOp : Hlo_Unary<"conj">;
def Hlo_ConstantLikeOp : Hlo_Unary<"constant_like", (ins TypedAttrInterface:$value)>;
def Hlo_CoshOp : Hlo_Unary<"cosh">;
def Hlo_DigammaOp : Hlo_Unary<"digamma">;
def Hlo_ErfOp : Hlo_Unary<"erf">;
def Hlo_ErfInvOp : Hlo_Unary<"erf_inv">;
def Hlo_ErfcOp : Hlo_Unary<"erfc">;
def Hlo_IsInfOp : Hlo_Unary<"is_inf">;
def Hlo_IsNegInfOp : Hlo_Unary<"is_neg_inf">;
def Hlo_IsPosInfOp : Hlo_Unary<"is_pos_inf">;
def Hlo_LgammaOp : Hlo_Unary<"lgamma">;
def Hlo_SinhOp : Hlo_Unary<"sinh">;
def Hlo_SquareOp : Hlo_Unary<"square">;

def Hlo_AddOp : Hlo_Binary<"add">;
def Hlo_AndOp : Hlo_Binary<"and">;
def Hlo_Atan2Op : Hlo_Binary<"atan2">;
def Hlo_CompareOp : Hlo_Binary<"compare",
  (ins Comparison:$comparison_direction, OptionalAttr<ComparisonType>:$compare_type)>;
def Hlo_ComplexOp : Hlo_Binary<"complex">;
def Hlo_DivideOp : Hlo_Binary<"divide">;
def Hlo_MaximumOp : Hlo_Binary<"maximum">;
def Hlo_MinimumOp : Hlo_Binary<"minimum">;
def Hlo_MulhiOp : Hlo_Binary<"mulhi">;
def Hlo_MultiplyOp : Hlo_Binary<"multiply">;
def Hlo_OrOp : Hlo_Binary<"or">;
def Hlo_PowerOp : Hlo_Binary<"power">;
def Hlo_RemainderOp : Hlo_Binary<"remainder">;
def Hlo_ShiftLeftOp : Hlo_Binary<"shift_left">;
def Hlo_ShiftRightArithmeticOp : Hlo_Binary<"shift_right_arithmetic">;
def Hlo_ShiftRightLogicalOp : Hlo_Binary<"shift_right_logical">;
def Hlo_StochasticConvertOp : Hlo_Binary<"stochastic_convert">;
def Hlo_SubtractOp : Hlo_Binary<"subtract">;
def Hlo_XorOp : Hlo_Binary<"xor">;

// chlo; the broadcast_ forms take operands of different ranks.
def Hlo_NextAfterOp : Hlo_Binary<"next_after">;
def Hlo_PolygammaOp : Hlo_Binary<"polygamma">;
def Hlo_ZetaOp : Hlo_Binary<"zeta">;
class Hlo_Broadcasting<string mnemonic, dag extra = (ins)> : Hlo_Binary<"broadcast_" # mnemonic,
  !con(extra, (ins OptInts:$broadcast_dimensions))>;
def Hlo_BroadcastAddOp : Hlo_Broadcasting<"add">;
def Hlo_BroadcastAndOp : Hlo_Broadcasting<"and">;
def Hlo_BroadcastAtan2Op : Hlo_Broadcasting<"atan2">;
def Hlo_BroadcastCompareOp : Hlo_Broadcasting<"compare",
  (ins Comparison:$comparison_direction, OptionalAttr<ComparisonType>:$compare_type)>;
def Hlo_BroadcastComplexOp : Hlo_Broadcasting<"complex">;
def Hlo_BroadcastDivideOp : Hlo_Broadcasting<"divide">;
def Hlo_BroadcastMaximumOp : Hlo_Broadcasting<"maximum">;
def Hlo_BroadcastMinimumOp : Hlo_Broadcasting<"minimum">;
def Hlo_BroadcastMultiplyOp : Hlo_Broadcasting<"multiply">;
def Hlo_BroadcastNextAfterOp : Hlo_Broadcasting<"next_after">;
def Hlo_BroadcastOrOp : Hlo_Broadcasting<"or">;
def Hlo_BroadcastPolygammaOp : Hlo_Broadcasting<"polygamma">;
def Hlo_BroadcastPowerOp : Hlo_Broadcasting<"power">;
def Hlo_BroadcastRemainderOp : Hlo_Broadcasting<"remainder">;
def Hlo_BroadcastShiftLeftOp : Hlo_Broadcasting<"shift_left">;
def Hlo_BroadcastShiftRightArithmeticOp : Hlo_Broadcasting<"shift_right_arithmetic">;
def Hlo_BroadcastShiftRightLogicalOp : Hlo_Broadcasting<"shift_right_logical">;
def Hlo_BroadcastSubtractOp : Hlo_Broadcasting<"subtract">;
def Hlo_BroadcastXorOp : Hlo_Broadcasting<"xor">;
def Hlo_BroadcastZetaOp : Hlo_Broadcasting<"zeta">;

class Hlo_Select<string mnemonic> : Hlo_Op<mnemonic> {
  let arguments = (ins Hlo_Value:$pred, Hlo_Value:$on_true, Hlo_Value:$on_false);
  let results = (outs Hlo_Value:$result);
}
def Hlo_SelectOp : Hlo_Select<"select">;
def Hlo_BroadcastSelectOp : Hlo_Select<"broadcast_select">;
def Hlo_ClampOp : Hlo_Op<"clamp"> {
  let arguments = (ins Hlo_Tensor:$min, Hlo_Tensor:$operand, Hlo_Tensor:$max);
  let results = (outs Hlo_Tensor:$result);
}
def Hlo_MapOp : Hlo_Body<"map", "computation"> {
  let arguments = (ins Variadic<Hlo_Tensor>:$inputs, DenseI64ArrayAttr:$dimensions);
  let results = (outs Hlo_Tensor:$result);
  let regions = (region SizedRegion<1>:$computation);
}

//===-- sources -----------------------------------------------------------===//

def Hlo_ConstantOp : Hlo_Op<"constant", [Pure]> {
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Hlo_Tensor:$output);
  let assemblyFormat = "attr-dict custom<ConstantValue>($value, type($output))";
}
def Hlo_IotaOp : Hlo_Source<"iota", (ins I64Attr:$iota_dimension)>;
def Hlo_PartitionIdOp : Hlo_Source<"partition_id">;
def Hlo_ReplicaIdOp : Hlo_Source<"replica_id">;
def Hlo_RngGetAndUpdateStateOp : Hlo_Source<"rng_get_and_update_state", (ins I64Attr:$delta), []>;
def Hlo_DynamicIotaOp : Hlo_Unary<"dynamic_iota", (ins I64Attr:$iota_dimension)>;
def Hlo_RngOp : Hlo_Op<"rng", []> {
  let arguments = (ins Hlo_Tensor:$a, Hlo_Tensor:$b, Hlo_Tensor:$shape, RngDistribution:$rng_distribution);
  let results = (outs Hlo_Tensor:$result);
}
def Hlo_RngBitGeneratorOp : Hlo_Op<"rng_bit_generator"> {
  let arguments = (ins Hlo_Tensor:$initial_state, RngAlgorithm:$rng_algorithm);
  let results = (outs Hlo_Tensor:$output_state, Hlo_Tensor:$output);
}

//===-- movement ----------------------------------------------------------===//

// `source_layout`: minor to major, where the operand's type has no layout.
def Hlo_BitcastOp : Hlo_Unary<"bitcast", (ins OptInts:$source_layout)>;
def Hlo_BitcastConvertOp : Hlo_Unary<"bitcast_convert">;
def Hlo_BroadcastOp : Hlo_Unary<"broadcast", (ins DenseI64ArrayAttr:$broadcast_sizes)>;
def Hlo_BroadcastInDimOp : Hlo_Unary<"broadcast_in_dim", (ins DenseI64ArrayAttr:$broadcast_dimensions)>;
def Hlo_ConcatenateOp : Hlo_Op<"concatenate"> {
  let arguments = (ins Variadic<Hlo_Tensor>:$inputs, I64Attr:$dimension);
  let results = (outs Hlo_Tensor:$result);
}
def Hlo_CopyOp : Hlo_Op<"copy"> {
  let arguments = (ins Hlo_Value:$operand);
  let results = (outs Hlo_Value:$result);
  let assemblyFormat = "$operand attr-dict `:` custom<OpTypes>(type($operand), type($result))";
}
def Hlo_DynamicBroadcastInDimOp : Hlo_Op<"dynamic_broadcast_in_dim"> {
  let arguments = (ins Hlo_Tensor:$operand, Hlo_Tensor:$output_dimensions,
    DenseI64ArrayAttr:$broadcast_dimensions, OptInts:$known_expanding_dimensions,
    OptInts:$known_nonexpanding_dimensions);
  let results = (outs Hlo_Tensor:$result);
}
def Hlo_DynamicReshapeOp : Hlo_Op<"dynamic_reshape"> {
  let arguments = (ins Hlo_Tensor:$operand, Hlo_Tensor:$output_shape);
  let results = (outs Hlo_Tensor:$result);
}
def Hlo_DynamicPadOp : Hlo_Op<"dynamic_pad"> {
  let arguments = (ins Hlo_Tensor:$operand, Hlo_Tensor:$padding_value, Hlo_Tensor:$edge_padding_low,
    Hlo_Tensor:$edge_padding_high, Hlo_Tensor:$interior_padding);
  let results = (outs Hlo_Tensor:$result);
}
def Hlo_DynamicSliceOp : Hlo_Op<"dynamic_slice"> {
  let arguments = (ins Hlo_Tensor:$operand, Variadic<Hlo_Tensor>:$start_indices, DenseI64ArrayAttr:$slice_sizes);
  let results = (outs Hlo_Tensor:$result);
}
def Hlo_DynamicUpdateSliceOp : Hlo_Op<"dynamic_update_slice"> {
  let arguments = (ins Hlo_Tensor:$operand, Hlo_Tensor:$update, Variadic<Hlo_Tensor>:$start_indices);
  let results = (outs Hlo_Tensor:$result);
}
defvar GatherAttrs = (ins DenseI64ArrayAttr:$offset_dims, DenseI64ArrayAttr:$collapsed_slice_dims,
  IntsOrNone:$operand_batching_dims, IntsOrNone:$start_indices_batching_dims,
  DenseI64ArrayAttr:$start_index_map, I64Attr:$index_vector_dim);
def Hlo_GatherOp : Hlo_Op<"gather"> {
  let arguments = !con((ins Hlo_Tensor:$operand, Hlo_Tensor:$start_indices), GatherAttrs,
    (ins DenseI64ArrayAttr:$slice_sizes, No:$indices_are_sorted));
  let results = (outs Hlo_Tensor:$result);
}
def Hlo_DynamicGatherOp : Hlo_Op<"dynamic_gather"> {
  let arguments = !con((ins Hlo_Tensor:$operand, Hlo_Tensor:$start_indices, Hlo_Tensor:$slice_sizes), GatherAttrs,
    (ins No:$indices_are_sorted));
  let results = (outs Hlo_Tensor:$result);
}
def Hlo_GetDimensionSizeOp : Hlo_Unary<"get_dimension_size", (ins I64Attr:$dimension)>;
def Hlo_PadOp : Hlo_Op<"pad"> {
  let arguments = (ins Hlo_Tensor:$operand, Hlo_Tensor:$padding_value, DenseI64ArrayAttr:$edge_padding_low,
    DenseI64ArrayAttr:$edge_padding_high, DenseI64ArrayAttr:$interior_padding);
  let results = (outs Hlo_Tensor:$result);
}
def Hlo_RealDynamicSliceOp : Hlo_Op<"real_dynamic_slice"> {
  let arguments = (ins Hlo_Tensor:$operand, Hlo_Tensor:$start_indices, Hlo_Tensor:$limit_indices, Hlo_Tensor:$strides);
  let results = (outs Hlo_Tensor:$result);
}
def Hlo_ReshapeOp : Hlo_Unary<"reshape">;
def Hlo_ReverseOp : Hlo_Unary<"reverse", (ins DenseI64ArrayAttr:$dimensions)>;
def Hlo_SetDimensionSizeOp : Hlo_Op<"set_dimension_size"> {
  let arguments = (ins Hlo_Tensor:$operand, Hlo_Tensor:$size, I64Attr:$dimension);
  let results = (outs Hlo_Tensor:$result);
}
def Hlo_SliceOp : Hlo_Unary<"slice",
  (ins DenseI64ArrayAttr:$start_indices, DenseI64ArrayAttr:$limit_indices, DenseI64ArrayAttr:$strides)>;
def Hlo_TorchIndexSelectOp : Hlo_Binary<"torch_index_select", (ins I64Attr:$dim, Zero:$batch_dims)>;
def Hlo_TransposeOp : Hlo_Unary<"transpose", (ins DenseI64ArrayAttr:$permutation)>;
def Hlo_MinimumBroadcastShapesOp : Hlo_Op<"minimum_broadcast_shapes"> {
  let arguments = (ins Variadic<Hlo_Tensor>:$shapes);
  let results = (outs Variadic<Hlo_Tensor>:$results);
}

//===-- reductions, sorting, scatter --------------------------------------===//

def Hlo_ReduceOp : Hlo_Body<"reduce", "body", [Pure, SameVariadicOperandSize]> {
  let arguments = (ins Variadic<Hlo_Tensor>:$inputs, Variadic<Hlo_Tensor>:$init_values, DenseI64ArrayAttr:$dimensions);
  let results = (outs Variadic<Hlo_Tensor>:$results);
  let regions = (region SizedRegion<1>:$body);
}
def Hlo_ReduceWindowOp : Hlo_Body<"reduce_window", "body", [Pure, SameVariadicOperandSize]> {
  let arguments = (ins Variadic<Hlo_Tensor>:$inputs, Variadic<Hlo_Tensor>:$init_values,
    DenseI64ArrayAttr:$window_dimensions, DenseI64ArrayAttr:$window_strides, DenseI64ArrayAttr:$base_dilations,
    DenseI64ArrayAttr:$window_dilations, DenseI64ArrayAttr:$padding);
  let results = (outs Variadic<Hlo_Tensor>:$results);
  let regions = (region SizedRegion<1>:$body);
}
def Hlo_SelectAndScatterOp : Hlo_Op<"select_and_scatter"> {
  let arguments = (ins Hlo_Tensor:$operand, Hlo_Tensor:$source, Hlo_Tensor:$init_value,
    DenseI64ArrayAttr:$window_dimensions, DenseI64ArrayAttr:$window_strides, DenseI64ArrayAttr:$padding);
  let results = (outs Hlo_Tensor:$result);
  let regions = (region SizedRegion<1>:$select, SizedRegion<1>:$scatter);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results) $select `scatter` $scatter";
}
def Hlo_ScatterOp : Hlo_Body<"scatter", "update_computation", [Pure, SameVariadicOperandSize]> {
  let arguments = (ins Variadic<Hlo_Tensor>:$inputs, Hlo_Tensor:$scatter_indices, Variadic<Hlo_Tensor>:$updates,
    DenseI64ArrayAttr:$update_window_dims, DenseI64ArrayAttr:$inserted_window_dims, IntsOrNone:$input_batching_dims,
    IntsOrNone:$scatter_indices_batching_dims, DenseI64ArrayAttr:$scatter_dims_to_operand_dims,
    I64Attr:$index_vector_dim, No:$indices_are_sorted, No:$unique_indices);
  let results = (outs Variadic<Hlo_Tensor>:$results);
  let regions = (region SizedRegion<1>:$update_computation);
}
def Hlo_SortOp : Hlo_Body<"sort", "comparator"> {
  let arguments = (ins Variadic<Hlo_Tensor>:$inputs, I64Attr:$dimension, No:$is_stable);
  let results = (outs Variadic<Hlo_Tensor>:$results);
  let regions = (region SizedRegion<1>:$comparator);
}
def Hlo_TopKOp : Hlo_Op<"top_k"> {
  let arguments = (ins Hlo_Tensor:$operand, I64Attr:$k, OptBool:$largest);
  let results = (outs Hlo_Tensor:$values, Hlo_Tensor:$indices);
}

//===-- dots, convolutions, normalization, linear algebra -----------------===//

def Hlo_DotOp : Hlo_Binary<"dot", (ins Precision:$precision_config)>;
def Hlo_DotGeneralOp : Hlo_Binary<"dot_general",
  (ins IntsOrNone:$lhs_batching_dimensions, IntsOrNone:$rhs_batching_dimensions,
    DenseI64ArrayAttr:$lhs_contracting_dimensions, DenseI64ArrayAttr:$rhs_contracting_dimensions,
    Precision:$precision_config, OptDict:$algorithm)>;
def Hlo_RaggedDotOp : Hlo_Op<"ragged_dot"> {
  let arguments = (ins Hlo_Tensor:$lhs, Hlo_Tensor:$rhs, Hlo_Tensor:$group_sizes,
    IntsOrNone:$lhs_batching_dimensions, IntsOrNone:$rhs_batching_dimensions,
    DenseI64ArrayAttr:$lhs_contracting_dimensions, DenseI64ArrayAttr:$rhs_contracting_dimensions,
    DenseI64ArrayAttr:$lhs_ragged_dimensions, IntsOrNone:$rhs_group_dimensions, Precision:$precision_config);
  let results = (outs Hlo_Tensor:$result);
}
// `padding` holds a (low, high) pair a spatial dimension.
defvar ConvolutionStrides = (ins DenseI64ArrayAttr:$window_strides);
defvar ConvolutionAttrs = (ins
  DenseI64ArrayAttr:$lhs_dilation, DenseI64ArrayAttr:$rhs_dilation, DenseBoolArrayAttr:$window_reversal,
  I64Attr:$input_batch_dimension, I64Attr:$input_feature_dimension, DenseI64ArrayAttr:$input_spatial_dimensions,
  I64Attr:$kernel_input_feature_dimension, I64Attr:$kernel_output_feature_dimension,
  DenseI64ArrayAttr:$kernel_spatial_dimensions, I64Attr:$output_batch_dimension,
  I64Attr:$output_feature_dimension, DenseI64ArrayAttr:$output_spatial_dimensions,
  One:$feature_group_count, One:$batch_group_count, Precision:$precision_config);
def Hlo_ConvolutionOp : Hlo_Binary<"convolution",
  !con(ConvolutionStrides, (ins DenseI64ArrayAttr:$padding), ConvolutionAttrs)>;
def Hlo_DynamicConvOp : Hlo_Op<"dynamic_conv"> {
  let arguments = !con((ins Hlo_Tensor:$lhs, Hlo_Tensor:$rhs, Hlo_Tensor:$padding), ConvolutionStrides, ConvolutionAttrs);
  let results = (outs Hlo_Tensor:$result);
}
def Hlo_EinsumOp : Hlo_Binary<"einsum", (ins StrAttr:$einsum_config)>;
def Hlo_UnaryEinsumOp : Hlo_Unary<"unary_einsum", (ins StrAttr:$einsum_config)>;
def Hlo_FftOp : Hlo_Unary<"fft", (ins FftType:$fft_type, DenseI64ArrayAttr:$fft_length)>;
def Hlo_CholeskyOp : Hlo_Unary<"cholesky", (ins No:$lower)>;
def Hlo_TriangularSolveOp : Hlo_Op<"triangular_solve"> {
  let arguments = (ins Hlo_Tensor:$a, Hlo_Tensor:$b, BoolAttr:$left_side, BoolAttr:$lower, BoolAttr:$unit_diagonal,
    Transposition:$transpose_a);
  let results = (outs Hlo_Tensor:$result);
}
def Hlo_BatchNormGradOp : Hlo_Op<"batch_norm_grad"> {
  let arguments = (ins Hlo_Tensor:$operand, Hlo_Tensor:$scale, Hlo_Tensor:$mean, Hlo_Tensor:$variance,
    Hlo_Tensor:$grad_output, F64Attr:$epsilon, I64Attr:$feature_index);
  let results = (outs Hlo_Tensor:$grad_operand, Hlo_Tensor:$grad_scale, Hlo_Tensor:$grad_offset);
}
def Hlo_BatchNormInferenceOp : Hlo_Op<"batch_norm_inference"> {
  let arguments = (ins Hlo_Tensor:$operand, Hlo_Tensor:$scale, Hlo_Tensor:$offset, Hlo_Tensor:$mean,
    Hlo_Tensor:$variance, F64Attr:$epsilon, I64Attr:$feature_index);
  let results = (outs Hlo_Tensor:$result);
}
def Hlo_BatchNormTrainingOp : Hlo_Op<"batch_norm_training"> {
  let arguments = (ins Hlo_Tensor:$operand, Hlo_Tensor:$scale, Hlo_Tensor:$offset, F64Attr:$epsilon,
    I64Attr:$feature_index);
  let results = (outs Hlo_Tensor:$output, Hlo_Tensor:$batch_mean, Hlo_Tensor:$batch_var);
}

//===-- collectives -------------------------------------------------------===//

// `replica_groups` may be ragged.
class Hlo_Collective<string mnemonic, dag extra = (ins)> : Hlo_Op<mnemonic, []> {
  let arguments = !con((ins Variadic<Hlo_Tensor>:$operands), extra,
    (ins Ints:$replica_groups, OptInt:$channel_id, OptBool:$use_global_device_ids));
  let results = (outs Variadic<Hlo_Value>:$results);
}
class Hlo_CollectiveBody<string mnemonic, dag extra = (ins)> : Hlo_Collective<mnemonic, extra> {
  let regions = (region SizedRegion<1>:$computation);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results) $computation";
}
def Hlo_AllGatherOp : Hlo_Collective<"all_gather", (ins I64Attr:$all_gather_dim)>;
def Hlo_AllReduceOp : Hlo_CollectiveBody<"all_reduce">;
def Hlo_AllToAllOp : Hlo_Collective<"all_to_all",
  (ins I64Attr:$split_dimension, I64Attr:$concat_dimension, I64Attr:$split_count)>;
def Hlo_CollectiveBroadcastOp : Hlo_Collective<"collective_broadcast", (ins OptBool:$has_dynamic_root)>;
def Hlo_CollectiveReduceOp : Hlo_CollectiveBody<"collective_reduce", (ins OptBool:$has_dynamic_root)>;
def Hlo_ReduceScatterOp : Hlo_CollectiveBody<"reduce_scatter",
  (ins I64Attr:$scatter_dimension)>;
def Hlo_CrossReplicaSumOp : Hlo_Collective<"cross_replica_sum">;
class Hlo_Permute<string mnemonic> : Hlo_Op<mnemonic, []> {
  let arguments = (ins Variadic<Hlo_Tensor>:$operands, Ints:$source_target_pairs, OptInt:$channel_id);
  let results = (outs Variadic<Hlo_Value>:$results);
}
def Hlo_CollectivePermuteOp : Hlo_Permute<"collective_permute">;
def Hlo_RaggedAllToAllOp : Hlo_Op<"ragged_all_to_all", []> {
  let arguments = (ins Hlo_Tensor:$operand, Hlo_Tensor:$output, Hlo_Tensor:$input_offsets, Hlo_Tensor:$send_sizes,
    Hlo_Tensor:$output_offsets, Hlo_Tensor:$recv_sizes, Ints:$replica_groups, OptInt:$channel_id);
  let results = (outs Hlo_Tensor:$result);
}
class Hlo_Done<string mnemonic> : Hlo_Op<mnemonic, []> {
  let arguments = (ins Variadic<Hlo_Value>:$operands);
  let results = (outs Variadic<Hlo_Value>:$results);
}
def Hlo_AllGatherStartOp : Hlo_Collective<"all_gather_start", (ins I64Attr:$all_gather_dim)>;
def Hlo_AllGatherDoneOp : Hlo_Done<"all_gather_done">;
def Hlo_AllReduceStartOp : Hlo_CollectiveBody<"all_reduce_start">;
def Hlo_AllReduceDoneOp : Hlo_Done<"all_reduce_done">;
def Hlo_CollectivePermuteStartOp : Hlo_Permute<"collective_permute_start">;
def Hlo_CollectivePermuteDoneOp : Hlo_Done<"collective_permute_done">;

//===-- tokens, tuples, transfers -----------------------------------------===//

def Hlo_AddDependencyOp : Hlo_Op<"add_dependency", []> {
  let arguments = (ins Hlo_Value:$operand, Hlo_Token:$token);
  let results = (outs Hlo_Value:$result);
}
def Hlo_AfterAllOp : Hlo_Op<"after_all"> {
  let arguments = (ins Variadic<Hlo_Token>:$inputs);
  let results = (outs Hlo_Token:$result);
}
def Hlo_CreateTokenOp : Hlo_Op<"create_token"> {
  let results = (outs Hlo_Token:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}
def Hlo_TupleOp : Hlo_Op<"tuple"> {
  let arguments = (ins Variadic<Hlo_Value>:$val);
  let results = (outs AnyTuple:$result);
}
def Hlo_GetTupleElementOp : Hlo_Op<"get_tuple_element"> {
  let arguments = (ins AnyTuple:$operand, I64Attr:$index);
  let results = (outs Hlo_Value:$result);
}
def Hlo_OptimizationBarrierOp : Hlo_Op<"optimization_barrier", []> {
  let arguments = (ins Variadic<Hlo_Value>:$operand);
  let results = (outs Variadic<Hlo_Value>:$results);
}
def Hlo_InfeedOp : Hlo_Op<"infeed", []> {
  let arguments = (ins Hlo_Token:$token, OptStr:$infeed_config, OptArray:$layout);
  let results = (outs Variadic<Hlo_Value>:$results);
}
def Hlo_OutfeedOp : Hlo_Op<"outfeed", []> {
  let arguments = (ins Variadic<Hlo_Value>:$inputs, Hlo_Token:$token, OptStr:$outfeed_config);
  let results = (outs Hlo_Token:$result);
}
// HLO splits a transfer in two; then the result is the tuple its `_done` takes.
defvar TransferAttrs = (ins OptInt:$channel_id, OptInt:$channel_type, OptBool:$is_host_transfer,
  OptionalAttr<Ints>:$source_target_pairs);
def Hlo_SendOp : Hlo_Op<"send", []> {
  let arguments = !con((ins Variadic<Hlo_Value>:$inputs, Hlo_Token:$token), TransferAttrs);
  let results = (outs Hlo_Value:$result);
}
def Hlo_RecvOp : Hlo_Op<"recv", []> {
  let arguments = !con((ins Hlo_Token:$token), TransferAttrs);
  let results = (outs Variadic<Hlo_Value>:$results);
}
def Hlo_SendDoneOp : Hlo_Done<"send_done">;
def Hlo_RecvDoneOp : Hlo_Done<"recv_done">;
def Hlo_DomainOp : Hlo_Op<"domain"> {
  let arguments = (ins Hlo_Value:$operand, OptStr:$kind, OptStr:$entry, OptStr:$exit);
  let results = (outs Hlo_Value:$result);
}

//===-- calls and control flow --------------------------------------------===//

def Hlo_CompositeOp : Hlo_Op<"composite", []> {
  let arguments = (ins Variadic<Hlo_Value>:$inputs, StrAttr:$name, OptDict:$composite_attributes,
    FlatSymbolRefAttr:$decomposition, OptInt:$version);
  let results = (outs Variadic<Hlo_Value>:$results);
}
// `backend_config` is a string (api_version 1..3) or a dictionary (4).
def Hlo_CustomCallOp : Hlo_Op<"custom_call", []> {
  let arguments = (ins Variadic<Hlo_Value>:$inputs, StrAttr:$call_target_name, OptBool:$has_side_effect,
    OptionalAttr<AnyAttrOf<[StrAttr, DictionaryAttr]>>:$backend_config, OptInt:$api_version,
    OptionalAttr<FlatSymbolRefArrayAttr>:$called_computations, OptArray:$operand_layouts, OptArray:$result_layouts,
    OptArray:$output_operand_aliases);
  let results = (outs Variadic<Hlo_Value>:$results);
}
// Stages S3 to S5: runs a kernel of the module (dialect/src/tpu).
def Hlo_KernelCallOp : Hlo_Op<"kernel_call", []> {
  let arguments = (ins Variadic<Hlo_Value>:$inputs, FlatSymbolRefAttr:$kernel);
  let results = (outs Variadic<Hlo_Value>:$results);
  let assemblyFormat = "$kernel `(` $inputs `)` attr-dict `:` functional-type(operands, results)";
}
defvar Recursive = [RecursiveMemoryEffects, RecursivelySpeculatable];
def Hlo_FusionOp : Hlo_Body<"fusion", "fused_computation", Recursive> {
  let arguments = (ins Variadic<Hlo_Value>:$inputs, StrAttr:$kind);
  let results = (outs Variadic<Hlo_Value>:$results);
  let regions = (region SizedRegion<1>:$fused_computation);
}
def Hlo_IfOp : Hlo_Op<"if", Recursive> {
  let arguments = (ins Hlo_Tensor:$pred);
  let results = (outs Variadic<Hlo_Value>:$results);
  let regions = (region SizedRegion<1>:$true_branch, SizedRegion<1>:$false_branch);
  let assemblyFormat = "$pred attr-dict `:` functional-type(operands, results) $true_branch `else` $false_branch";
}
def Hlo_CaseOp : Hlo_Op<"case", Recursive> {
  let arguments = (ins Hlo_Tensor:$index);
  let results = (outs Variadic<Hlo_Value>:$results);
  let regions = (region VariadicRegion<SizedRegion<1>>:$branches);
  let assemblyFormat = "$index attr-dict `:` functional-type(operands, results) $branches";
}
def Hlo_WhileOp : Hlo_Op<"while", [RecursiveMemoryEffects]> {
  let arguments = (ins Variadic<Hlo_Value>:$operand);
  let results = (outs Variadic<Hlo_Value>:$results);
  let regions = (region SizedRegion<1>:$cond, SizedRegion<1>:$body);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results) $cond `do` $body";
}
def Hlo_AsyncStartOp : Hlo_Body<"async_start", "called_computation", []> {
  let arguments = (ins Variadic<Hlo_Value>:$inputs, OptStr:$execution_thread);
  let results = (outs Variadic<Hlo_Value>:$results);
  let regions = (region SizedRegion<1>:$called_computation);
}
def Hlo_AsyncUpdateOp : Hlo_Done<"async_update">;
def Hlo_AsyncDoneOp : Hlo_Done<"async_done">;
def Hlo_CopyStartOp : Hlo_Op<"copy_start", []> {
  let arguments = (ins Hlo_Value:$operand, OptInt:$cross_program_prefetch_index);
  let results = (outs Hlo_Value:$result);
}
def Hlo_CopyDoneOp : Hlo_Done<"copy_done">;

def Hlo_ReturnOp : Hlo_Op<"return", [Pure, Terminator, ReturnLike]> {
  let arguments = (ins Variadic<Hlo_Value>:$results);
  let assemblyFormat = "attr-dict ($results^ `:` type($results))?";
}

#endif
