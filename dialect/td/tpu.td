// The `tpu` dialect: names, attributes, types and text of Mosaic, for the ops that
// kernels of `dialect/src/tpu` hold and those that real Pallas kernels hold beside
// them (source of the facts: jax, jaxlib/mosaic/dialect/tpu/*.td and serde.cc,
// serialization version 15).
//
// ODS checks structure only; type rules are Rust (dialect/src/tpu/infer.rs).

#ifndef TILEPROOF_TPU_TD
#define TILEPROOF_TPU_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/BuiltinTypeInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Tpu_Dialect : Dialect {
  let name = "tpu";
  let cppNamespace = "::tpu";
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
}

//===-- types -------------------------------------------------------------===//

class Tpu_Type<string name, string word> : TypeDef<Tpu_Dialect, name, [MemRefElementTypeInterface]> {
  let mnemonic = word;
}
def Tpu_SemaphoreType : Tpu_Type<"Semaphore", "semaphore">;
def Tpu_DMASemaphoreType : Tpu_Type<"DMASemaphore", "dma_semaphore">;

defvar Vector = AnyVectorOfNonZeroRank;
def Mask : VectorOfNonZeroRankOf<[I1]>;
def Semaphores : MemRefOf<[Tpu_SemaphoreType, Tpu_DMASemaphoreType]>;
def DmaSemaphores : MemRefOf<[Tpu_DMASemaphoreType]>;
def CountingSemaphores : MemRefOf<[Tpu_SemaphoreType]>;

//===-- attributes --------------------------------------------------------===//

class Tpu_Enum<string name, list<I32EnumAttrCase> words> : I32EnumAttr<name, "", words> {
  let genSpecializedAttr = 0;
  let cppNamespace = "::tpu";
}
class Tpu_Word<Tpu_Enum enum, string word> : EnumAttr<Tpu_Dialect, enum, word> {
  let assemblyFormat = "`<` $value `>`";
}

def Tpu_CoreTypeEnum : Tpu_Enum<"CoreType", [
  I32EnumAttrCase<"kTc", 0, "tc">, I32EnumAttrCase<"kScScalarSubcore", 1, "sc_scalar_subcore">,
  I32EnumAttrCase<"kScVectorSubcore", 2, "sc_vector_subcore">]>;
def CoreType : Tpu_Word<Tpu_CoreTypeEnum, "core_type">;

def Tpu_PipelineModeEnum : Tpu_Enum<"PipelineMode", [
  I32EnumAttrCase<"kSynchronous", 1, "synchronous">, I32EnumAttrCase<"kDoubleBuffered", 2, "double_buffered">]>;
def PipelineMode : Tpu_Word<Tpu_PipelineModeEnum, "pipeline_mode">;

def Tpu_RevisitModeEnum : Tpu_Enum<"RevisitMode", [
  I32EnumAttrCase<"kImmediate", 0, "immediate">, I32EnumAttrCase<"kAny", 1, "any">]>;
def RevisitMode : Tpu_Word<Tpu_RevisitModeEnum, "revisit_mode">;

def Tpu_DimensionSemanticsEnum : Tpu_Enum<"DimensionSemantics", [
  I32EnumAttrCase<"parallel", 0>, I32EnumAttrCase<"arbitrary", 1>, I32EnumAttrCase<"core_parallel", 2>,
  I32EnumAttrCase<"subcore_parallel", 3>]>;
def DimensionSemantics : Tpu_Word<Tpu_DimensionSemanticsEnum, "dimension_semantics">;

def Tpu_ContractPrecisionEnum : Tpu_Enum<"ContractPrecision", [
  I32EnumAttrCase<"kBF16", 0, "bf16">, I32EnumAttrCase<"kFP32", 1, "fp32">, I32EnumAttrCase<"kBF16x3", 2, "bf16x3">]>;
def ContractPrecision : Tpu_Word<Tpu_ContractPrecisionEnum, "contract_precision">;

def Tpu_PackFormatEnum : Tpu_Enum<"PackFormat", [
  I32EnumAttrCase<"kCompressed", 0, "compressed">, I32EnumAttrCase<"kInterleaved", 1, "interleaved">]>;
def PackFormat : Tpu_Word<Tpu_PackFormatEnum, "pack_format">;

def Tpu_ReductionKindEnum : Tpu_Enum<"ReductionKind", [
  I32EnumAttrCase<"kSum", 0, "sum">, I32EnumAttrCase<"kMax", 1, "max">, I32EnumAttrCase<"kMin", 2, "min">,
  I32EnumAttrCase<"kArgMax", 3, "arg_max">, I32EnumAttrCase<"kArgMin", 4, "arg_min">,
  I32EnumAttrCase<"kFindFirstSet", 5, "find_first_set">]>;
def ReductionKind : Tpu_Word<Tpu_ReductionKindEnum, "reduction_kind">;

def Tpu_RoundingModeEnum : Tpu_Enum<"RoundingMode", [
  I32EnumAttrCase<"kTowardsZero", 0, "towards_zero">, I32EnumAttrCase<"kToNearestEven", 1, "to_nearest_even">]>;
def RoundingMode : Tpu_Word<Tpu_RoundingModeEnum, "rounding_mode">;

def Tpu_MemorySpaceEnum : Tpu_Enum<"MemorySpace", [
  I32EnumAttrCase<"kAny", 4294967295, "any">, I32EnumAttrCase<"kVmem", 0, "vmem">, I32EnumAttrCase<"kSmem", 1, "smem">,
  I32EnumAttrCase<"kHbm", 2, "hbm">, I32EnumAttrCase<"kCmem", 3, "cmem">,
  I32EnumAttrCase<"kSemaphoreMem", 4, "semaphore_mem">, I32EnumAttrCase<"kVmemShared", 5, "vmem_shared">,
  I32EnumAttrCase<"kHost", 6, "host">]>;

class Tpu_Attr<string name, string word, list<Trait> traits = []> : AttrDef<Tpu_Dialect, name, traits> {
  let mnemonic = word;
}
// #tpu.memory_space<vmem>, #tpu.memory_space<vmem, tc>
def Tpu_MemorySpaceAttr : Tpu_Attr<"MemorySpace", "memory_space"> {
  let parameters = (ins "::tpu::MemorySpace":$value, OptionalParameter<"::std::optional<::tpu::CoreType>">:$core_type);
  let assemblyFormat = "`<` $value (`,` $core_type^)? `>`";
}
// #tpu.element_window<[pad_low],[pad_high]>
def Tpu_ElementWindowAttr : Tpu_Attr<"ElementWindow", "element_window"> {
  let parameters = (ins ArrayRefParameter<"int64_t">:$pad_low, ArrayRefParameter<"int64_t">:$pad_high);
  let assemblyFormat = "`<` `[` $pad_low `]` `,` `[` $pad_high `]` `>`";
}
// #tpu.tiled<(8,128)(2,1),[2,1]>: tiles outermost first, strides of each dimension in tiles. Elements are addressed by
// row-major index all the same.
def Tpu_TiledLayoutAttr : Tpu_Attr<"TiledLayout", "tiled",
    [DeclareAttrInterfaceMethods<MemRefLayoutAttrInterface, ["getStridesAndOffset"]>]> {
  let parameters = (ins ArrayRefParameter<"::mlir::DenseI64ArrayAttr">:$tiles, ArrayRefParameter<"int64_t">:$tile_strides);
  let hasCustomAssemblyFormat = 1;
}
defvar OptInts = OptionalArrayRefParameter<"int64_t">;
// Contracting, non-contracting, order of the result (pairs of 0 lhs, 1 rhs and a dimension of it), batch.
def Tpu_DotDimensionNumbersAttr : Tpu_Attr<"DotDimensionNumbers", "dot_dimension_numbers"> {
  let parameters = (ins ArrayRefParameter<"int64_t">:$lhs_contracting_dims, ArrayRefParameter<"int64_t">:$rhs_contracting_dims,
    OptInts:$lhs_non_contracting_dims, OptInts:$rhs_non_contracting_dims, ArrayRefParameter<"int64_t">:$output_dim_order,
    OptInts:$lhs_batch_dims, OptInts:$rhs_batch_dims);
  let assemblyFormat = "`<` `[` $lhs_contracting_dims `]` `,` `[` $rhs_contracting_dims `]` `,`"
    "`[` (`]`):($lhs_non_contracting_dims^ `]`)? `,` `[` (`]`):($rhs_non_contracting_dims^ `]`)? `,`"
    "`[` $output_dim_order `]` `,` `[` (`]`):($lhs_batch_dims^ `]`)? `,` `[` (`]`):($rhs_batch_dims^ `]`)? `>`";
}

def No : DefaultValuedAttr<BoolAttr, "false">;
def Yes : DefaultValuedAttr<BoolAttr, "true">;

//===-- forms -------------------------------------------------------------===//

class Tpu_Op<string mnemonic, list<Trait> traits = []> : Op<Tpu_Dialect, mnemonic, traits> {
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins)>];  // declared only: ops are built through the C API
}
class Tpu_Result<string mnemonic, dag ins_, Type out, string format, list<Trait> traits = [Pure]> : Tpu_Op<mnemonic, traits> {
  let arguments = ins_;
  let results = (outs out:$result);
  let assemblyFormat = format;
}
class Tpu_Effect<string mnemonic, dag ins_, string format = "", list<Trait> traits = []> : Tpu_Op<mnemonic, traits> {
  let arguments = ins_;
  let assemblyFormat = format;
}
class Tpu_Unary<string mnemonic, dag extra = (ins), Type of = Vector>
  : Tpu_Result<mnemonic, !con((ins of:$input), extra), of, "$input attr-dict `:` type($input) `->` type($result)">;

defvar Segments = AttrSizedOperandSegments;
def Reads : MemoryEffects<[MemRead<DefaultResource>]>;
def Writes : MemoryEffects<[MemWrite<DefaultResource>]>;

//===-- vectors -----------------------------------------------------------===//

def Tpu_AllReduceOp : Tpu_Unary<"all_reduce", (ins I64Attr:$dim, ReductionKind:$kind)>;
def Tpu_ReduceIndexOp : Tpu_Unary<"reduce_index", (ins I32Attr:$axis, ReductionKind:$kind)>;
def Tpu_DynamicRotateOp : Tpu_Result<"dynamic_rotate",
  (ins Vector:$value, I32:$amount, SI32Attr:$dimension, OptionalAttr<SI32Attr>:$stride, OptionalAttr<SI32Attr>:$stride_dimension),
  Vector, "$value `by` $amount `dim` $dimension attr-dict `:` type($value) `,` type($amount)  `->` type($result)">;
def Tpu_IotaOp : Tpu_Result<"iota", (ins DenseI32ArrayAttr:$dimensions), Vector, "attr-dict `:` type($result)">;
def Tpu_ReshapeOp : Tpu_Unary<"reshape">;
def Tpu_RepeatOp : Tpu_Result<"repeat", (ins Vector:$source, I32Attr:$dimension, I32Attr:$times), Vector,
  "$source `,` $dimension `x` $times attr-dict `:` type($source) `->` type($result)">;
def Tpu_BroadcastInSublanesOp : Tpu_Result<"broadcast_in_sublanes", (ins Vector:$source, I32Attr:$lane), Vector,
  "$source `,` $lane attr-dict `:` type($source) `->` type($result)">;
def Tpu_UnpackSubelementsOp : Tpu_Result<"unpack_subelements",
  (ins Vector:$source, I32Attr:$index, PackFormat:$pack_format, Yes:$integer_extended, No:$unsigned_integers), Vector,
  "$source `,` $index attr-dict `:` type($source) `->` type($result)">;
def Tpu_PackSubelementsOp : Tpu_Result<"pack_subelements",
  (ins Variadic<Vector>:$sources, DenseI32ArrayAttr:$positions, PackFormat:$pack_format, No:$unsigned_integers), Vector,
  "$sources attr-dict `:` type($sources) `->` type($result)">;
def Tpu_PackMaskOp : Tpu_Result<"pack_vmsk", (ins Variadic<Mask>:$sources, DenseI32ArrayAttr:$positions), Mask,
  "$sources attr-dict `:` type($sources) `->` type($result)">;
def Tpu_RollVectorsOp : Tpu_Result<"roll_vectors", (ins Variadic<AnyVectorOfAnyRank>:$input), AnyVectorOfAnyRank,
  "$input attr-dict `:` type($input) `->` type($result)">;
def Tpu_UnrollVectorsOp : Tpu_Op<"unroll_vectors", [Pure]> {
  let arguments = (ins AnyVectorOfAnyRank:$input);
  let results = (outs Variadic<AnyVectorOfAnyRank>:$output);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($output)";
}
def Tpu_PackElementwiseOp : Tpu_Result<"pack_elementwise", (ins Variadic<Vector>:$sources, TypeAttr:$target_type), Vector,
  "$sources attr-dict `:` type($sources) `->` type($result)">;
def Tpu_UnpackElementwiseOp : Tpu_Result<"unpack_elementwise",
  (ins Vector:$source, TypeAttr:$source_type, I32Attr:$index), Vector,
  "$source `,` $index attr-dict `:` type($source) `->` type($result)">;
def Tpu_DynamicGatherOp : Tpu_Result<"dynamic_gather",
  (ins Vector:$source, Vector:$indices, DenseI32ArrayAttr:$dimensions), Vector,
  "$source `[` $indices `]` `in` $dimensions attr-dict `:` type($source) `,` type($indices) `->` type($result)">;
def Tpu_FPToSIOp : Tpu_Unary<"fptosi", (ins RoundingMode:$rounding_mode), AnyType>;
def Tpu_FPToUIOp : Tpu_Unary<"fptoui", (ins RoundingMode:$rounding_mode), AnyType>;
def Tpu_SIToFPOp : Tpu_Unary<"sitofp", (ins RoundingMode:$rounding_mode), AnyType>;
def Tpu_UIToFPOp : Tpu_Unary<"uitofp", (ins RoundingMode:$rounding_mode), AnyType>;
def Tpu_ExtFOp : Tpu_Unary<"extf", (ins), AnyType>;
def Tpu_TruncFOp : Tpu_Unary<"truncf", (ins RoundingMode:$rounding_mode), AnyType>;
def Tpu_MatmulOp : Tpu_Result<"matmul",
  (ins Vector:$lhs, Vector:$rhs, Vector:$acc, No:$transpose_lhs, No:$transpose_rhs, OptionalAttr<ContractPrecision>:$precision,
    OptionalAttr<Tpu_DotDimensionNumbersAttr>:$dimension_numbers, BoolAttr:$transpose_lhs_hint), Vector,
  "$lhs `,` $rhs `,` $acc attr-dict `:` type($lhs) `,` type($rhs) `,` type($acc) `->` type($result)">;
def Tpu_ConcatenateOp : Tpu_Result<"concatenate", (ins Variadic<Vector>:$sources, I32Attr:$dimension), Vector,
  "$sources `in` $dimension attr-dict `:` type($sources) `->` type($result)">;
def Tpu_BitcastOp : Tpu_Unary<"bitcast">;
def Tpu_BitcastVregOp : Tpu_Unary<"bitcast_vreg">;
def Tpu_WeirdOp : Tpu_Unary<"weird", (ins), AnyType>;
def Tpu_ReciprocalOp : Tpu_Unary<"reciprocal", (ins No:$approx, Yes:$full_range)>;
def Tpu_LogisticOp : Tpu_Unary<"logistic">;
def Tpu_CreateMaskOp : Tpu_Result<"create_mask", (ins Variadic<Index>:$low, Variadic<Index>:$high), AnyType,
  "`[` $low `]``[` $high `]` attr-dict `:` type($result)", [Pure, SameVariadicOperandSize]>;
def Tpu_MaskCastOp : Tpu_Unary<"mask_cast">;
def Tpu_TransposeOp : Tpu_Result<"transpose", (ins AnyVectorOfAnyRank:$vector, DenseI64ArrayAttr:$permutation), AnyVectorOfAnyRank,
  "$vector `,` $permutation attr-dict `:` type($vector) `->` type($result)">;
def Tpu_AssumeMultipleOp : Tpu_Result<"assume_multiple", (ins AnyTypeOf<[Index, AnyInteger]>:$value, I32Attr:$multiple),
  AnyTypeOf<[Index, AnyInteger]>, "$value `,` $multiple attr-dict `:` type($result)", [Pure, SameOperandsAndResultType]>;
def Tpu_AssumeLayoutOp : Tpu_Unary<"assume_layout", (ins), AnyType>;

//===-- memory ------------------------------------------------------------===//

def Tpu_VectorLoadOp : Tpu_Result<"vector_load",
  (ins AnyMemRef:$base, Variadic<Index>:$indices, DenseI32ArrayAttr:$strides, Optional<Vector>:$mask), Vector,
  "$base `[` $indices `]` (`masked` $mask^)? attr-dict `:` type($base) `,` type($result) `,` type($mask)", [Segments, Reads]>;
def Tpu_VectorStoreOp : Tpu_Effect<"vector_store",
  (ins Vector:$valueToStore, AnyMemRef:$base, Variadic<Index>:$indices, DenseI32ArrayAttr:$strides, Optional<Vector>:$mask, No:$add),
  "$base `[` $indices `]` `,` $valueToStore (`masked` $mask^)? attr-dict `:` type($base) `,` type($valueToStore) `,` type($mask)",
  [Segments, Writes]>;
def Tpu_StridedLoadOp : Tpu_Result<"strided_load", (ins AnyMemRef:$base, Variadic<Index>:$indices, DenseI32ArrayAttr:$strides),
  Vector, "$base `[` $indices `]` attr-dict `:` type($base) `,` type($result)", [Reads]>;
def Tpu_StridedStoreOp : Tpu_Effect<"strided_store",
  (ins Vector:$valueToStore, AnyMemRef:$base, Variadic<Index>:$indices, DenseI32ArrayAttr:$strides),
  "$base `[` $indices `]` `,` $valueToStore attr-dict `:` type($base) `,` type($valueToStore)", [Writes]>;
// Registers.
def Tpu_LoadOp : Tpu_Result<"load",
  (ins AnyMemRef:$base, Variadic<Index>:$indices, DenseBoolArrayAttr:$sublane_mask, DefaultValuedAttr<I32Attr, "1">:$sublane_stride),
  Vector, "$base `[` $indices `]` `sublanes` $sublane_mask (`sublane_stride` $sublane_stride^)? attr-dict `:` type($base) `,` type($result)",
  [Reads]>;
def Tpu_StoreOp : Tpu_Effect<"store",
  (ins Vector:$valueToStore, AnyMemRef:$base, Variadic<Index>:$indices, DenseBoolArrayAttr:$sublane_mask, Optional<AnyType>:$mask,
    DefaultValuedAttr<I32Attr, "1">:$sublane_stride, No:$add),
  "$base `[` $indices `]` `,` $valueToStore (`masked` $mask^)? `sublanes` $sublane_mask (`sublane_stride` $sublane_stride^)? attr-dict"
  "`:` type($base) `,` type($valueToStore) `,` type($mask)", [Segments, Writes]>;
def Tpu_MemRefSliceOp : Tpu_Result<"memref_slice",
  (ins AnyMemRef:$mem_ref, Variadic<I32>:$base_idx, Variadic<I32>:$dynamic_sizes), AnyMemRef,
  "$mem_ref `[` $base_idx `]` (`<` $dynamic_sizes^ `>`)? attr-dict `:` type($mem_ref) `->` type($result)", [Segments, Pure]>;
def Tpu_MemRefSqueezeOp : Tpu_Unary<"memref_squeeze", (ins), AnyMemRef>;
def Tpu_MemRefReshapeOp : Tpu_Unary<"memref_reshape", (ins), AnyMemRef>;
def Tpu_MemRefBitcastOp : Tpu_Unary<"memref_bitcast", (ins), AnyMemRef>;
def Tpu_ReinterpretCastOp : Tpu_Result<"reinterpret_cast",
  (ins AnyMemRef:$input, Optional<I32>:$dynamic_offset, Variadic<I32>:$dynamic_sizes), AnyMemRef,
  "$input ($dynamic_offset^)? (`<` $dynamic_sizes^ `>`)? attr-dict `:` type($input) `->` type($result)", [Segments, Pure]>;
def Tpu_EraseLayoutOp : Tpu_Unary<"erase_memref_layout", (ins), AnyMemRef>;

//===-- copies and semaphores ---------------------------------------------===//

def Tpu_EnqueueDMAOp : Tpu_Effect<"enqueue_dma",
  (ins AnyMemRef:$source, Optional<Semaphores>:$source_semaphore, AnyMemRef:$target, Optional<Semaphores>:$target_semaphore,
    Optional<I32>:$device_id, Optional<I32>:$core_id, Optional<I32>:$subcore_id,
    DefaultValuedAttr<I32Attr, "0">:$priority, No:$strict_ordering),
  "`source` `(` $source `:` type($source) `)` `target` `(` $target `:` type($target) `)`"
  "(`source_semaphore` `(` $source_semaphore^ `:` type($source_semaphore) `)`)?"
  "(`target_semaphore` `(` $target_semaphore^ `:` type($target_semaphore) `)`)?"
  "(`device_id` `(` $device_id^ `)`)? (`core_id` `(` $core_id^ `)`)? (`subcore_id` `(` $subcore_id^ `)`)? attr-dict", [Segments]>;
def Tpu_WaitDMA2Op : Tpu_Effect<"wait_dma2",
  (ins DmaSemaphores:$semaphore, AnyMemRef:$src, AnyMemRef:$dst, Optional<I32>:$device_id, Optional<I32>:$core_id, No:$strict_ordering),
  "`semaphore` `(` $semaphore `:` type($semaphore) `)` `src` `(` $src `:` type($src) `)` `dst` `(` $dst `:` type($dst) `)`"
  "(`device_id` `(` $device_id^ `)`)? (`core_id` `(` $core_id^ `)`)? attr-dict", [Segments]>;
def Tpu_WaitDMAOp : Tpu_Effect<"wait_dma",
  (ins AnyMemRef:$source, Optional<Semaphores>:$source_semaphore, AnyMemRef:$target, Optional<Semaphores>:$target_semaphore,
    Optional<I32>:$device_id, Optional<I32>:$core_id, Optional<I32>:$subcore_id,
    DefaultValuedAttr<I32Attr, "0">:$priority, No:$strict_ordering, BoolAttr:$wait_target),
  "`source` `(` $source `:` type($source) `)` `target` `(` $target `:` type($target) `)`"
  "(`source_semaphore` `(` $source_semaphore^ `:` type($source_semaphore) `)`)?"
  "(`target_semaphore` `(` $target_semaphore^ `:` type($target_semaphore) `)`)?"
  "(`device_id` `(` $device_id^ `)`)? (`core_id` `(` $core_id^ `)`)? (`subcore_id` `(` $subcore_id^ `)`)? attr-dict", [Segments]>;
def Tpu_SemaphoreReadOp : Tpu_Result<"sem_read", (ins Semaphores:$semaphore), I32,
  "$semaphore attr-dict `:` type($semaphore) `->` type($result)", []>;
def Tpu_SemaphoreWaitOp : Tpu_Effect<"sem_wait", (ins CountingSemaphores:$semaphore, I32:$amount),
  "$semaphore `,` $amount attr-dict `:` type($semaphore)">;
def Tpu_SemaphoreSignalOp : Tpu_Effect<"sem_signal",
  (ins CountingSemaphores:$semaphore, I32:$amount, Optional<I32>:$device_id, Optional<I32>:$core_id, Optional<I32>:$subcore_id),
  "$semaphore `,` $amount (`device_id` $device_id^)? (`core_id` $core_id^)? (`subcore_id` $subcore_id^)? attr-dict `:` type($semaphore)",
  [Segments]>;
def Tpu_AllocaSemaphoreOp : Tpu_Result<"sem_alloc", (ins), Semaphores, "attr-dict `:` type($result)", []>;
def Tpu_GetBarrierSemaphoreOp : Tpu_Result<"sem_barrier", (ins), CountingSemaphores, "attr-dict `:` type($result)", []>;

//===-- structure ---------------------------------------------------------===//

def Tpu_YieldOp : Tpu_Effect<"yield", (ins Variadic<AnyType>:$results), "attr-dict ($results^ `:` type($results))?",
  [Pure, ReturnLike, Terminator]>;
class Tpu_Body<string mnemonic, dag ins_> : Tpu_Op<mnemonic, [RecursiveMemoryEffects]> {
  let arguments = ins_;
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$region);
}
def Tpu_RegionOp : Tpu_Body<"region", (ins)>;
def Tpu_TraceOp : Tpu_Body<"trace", (ins StrAttr:$message, I32Attr:$level)>;
def Tpu_TraceStartOp : Tpu_Op<"trace_start"> { let arguments = (ins StrAttr:$message, I32Attr:$level); }
def Tpu_TraceStopOp : Tpu_Op<"trace_stop">;
def Tpu_DelayOp : Tpu_Effect<"delay", (ins I32:$nanos), "$nanos attr-dict">;
def Tpu_GetIterationBoundOp : Tpu_Result<"iteration_bound", (ins I32Attr:$dim), I32, "$dim attr-dict `:` type($result)", []>;
def Tpu_DeviceIdOp : Tpu_Result<"device_id", (ins), I32, "attr-dict `:` type($result)">;
def Tpu_CoreIdOp : Tpu_Result<"core_id", (ins), I32, "attr-dict `:` type($result)">;
def Tpu_PRNGSeed32Op : Tpu_Op<"prng_set_seed_32"> { let arguments = (ins Variadic<I32>:$seeds); }
def Tpu_PRNGRandomBitsOp : Tpu_Op<"prng_random_bits"> { let results = (outs Vector:$output); }

#endif
