// The `tpux` dialect: what kernels need and Mosaic has not. On functions of the module that are kernels:
//   tpux.stage = "S3" | "S4" | "S5": the function is a kernel;
//   tpux.outputs = N: of the operands between prefetch and scratch the last N are results;
// on their arguments:
//   tpux.buffer = memref<..>: the whole buffer of an operand with a window;
//   tpux.alias = I: the input whose buffer an output takes;
//   tpux.vmem_address = A: its first byte.

#ifndef TILEPROOF_TPUX_TD
#define TILEPROOF_TPUX_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Tpux_Dialect : Dialect {
  let name = "tpux";
  let cppNamespace = "::tpux";
  let usePropertiesForAttributes = 0;
}

class Tpux_Op<string mnemonic, list<Trait> traits = [Pure]> : Op<Tpux_Dialect, mnemonic, traits> {
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins)>];  // declared only: ops are built through the C API
}

// An elementwise `hlo` op that no arith or math op means exactly: `tpux.elementwise "hlo.NAME"(%a, %b) {attributes} : T` where all types are T.
def Tpux_ElementwiseOp : Tpux_Op<"elementwise"> {
  let arguments = (ins StrAttr:$function, Variadic<AnyType>:$inputs);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$function `(` $inputs `)` attr-dict `:` custom<AllTypes>(type($inputs), type($result), ref($inputs))";
}

// The region computes the named function of its arguments, which are the operands. The ring evaluates the name, IEEE the body.
def Tpux_ImplementsOp : Tpux_Op<"implements", [RecursiveMemoryEffects, IsolatedFromAbove]> {
  let arguments = (ins StrAttr:$function, Variadic<AnyType>:$inputs);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$function `(` $inputs `)` attr-dict `:` functional-type(operands, results) $body";
}
def Tpux_YieldOp : Tpux_Op<"yield", [Pure, Terminator, ReturnLike]> {
  let arguments = (ins Variadic<AnyType>:$results);
  let assemblyFormat = "attr-dict ($results^ `:` type($results))?";
}

// result[i] = operand[(i - amount) mod n] along the dimension.
def Tpux_RotateOp : Tpux_Op<"rotate", [Pure, SameOperandsAndResultType]> {
  let arguments = (ins AnyVectorOfNonZeroRank:$value, I64Attr:$amount, I64Attr:$dimension);
  let results = (outs AnyVectorOfNonZeroRank:$result);
  let assemblyFormat = "$value `by` $amount `dim` $dimension attr-dict `:` type($value)";
}
def Tpux_ReverseOp : Tpux_Op<"reverse", [Pure, SameOperandsAndResultType]> {
  let arguments = (ins AnyVectorOfNonZeroRank:$value, DenseI64ArrayAttr:$dimensions);
  let results = (outs AnyVectorOfNonZeroRank:$result);
  let assemblyFormat = "$value `dims` $dimensions attr-dict `:` type($value)";
}
// `vector.extract_strided_slice` with strides other than 1.
def Tpux_ExtractStridedSliceOp : Tpux_Op<"extract_strided_slice"> {
  let arguments = (ins AnyVectorOfNonZeroRank:$source, DenseI64ArrayAttr:$offsets, DenseI64ArrayAttr:$sizes, DenseI64ArrayAttr:$strides);
  let results = (outs AnyVectorOfNonZeroRank:$result);
  let assemblyFormat = "$source `offsets` $offsets `sizes` $sizes `strides` $strides attr-dict `:` type($source) `->` type($result)";
}
// `tpu.load` of the lanes whose mask is true.
def Tpux_MaskedLoadOp : Tpux_Op<"masked_load", [MemoryEffects<[MemRead]>]> {
  let arguments = (ins AnyMemRef:$base, Variadic<Index>:$indices, AnyVectorOfNonZeroRank:$mask);
  let results = (outs AnyVectorOfNonZeroRank:$result);
  let assemblyFormat = "$base `[` $indices `]` `masked` $mask attr-dict `:` type($base) `,` type($result) `,` type($mask)";
}
// A scalar of an unsigned type, which `arith.constant` refuses.
def Tpux_ConstantOp : Tpux_Op<"constant", [Pure]> {
  let arguments = (ins TypedAttrInterface:$value);
  let results = (outs AnyType:$result);
  let assemblyFormat = "attr-dict $value `->` type($result)";
}
// `tpu.all_reduce` for the kinds of `vector.kind` that it has not.
def Tpux_AllReduceOp : Tpux_Op<"all_reduce", [Pure, SameOperandsAndResultType]> {
  let arguments = (ins AnyVectorOfNonZeroRank:$value, StrAttr:$kind, I64Attr:$dimension);
  let results = (outs AnyVectorOfNonZeroRank:$result);
  let assemblyFormat = "$kind $value `dim` $dimension attr-dict `:` type($value)";
}

#endif
