// Registers the dialects of kernels, `tpu` and `tpux`. All that ODS cannot generate, and nothing else.
// Built with clang++: a g++ build loses traits against a clang-built libMLIR.
#include "mlir/CAPI/Registration.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#include "tpu_enums.h.inc"

// Internal linkage: the compiler drops the members of generated classes that nothing uses, most of them.
#pragma clang attribute push(__attribute__((internal_linkage)), apply_to = record)
#include "tpu_dialect.h.inc"
#include "tpux_dialect.h.inc"
#define GET_TYPEDEF_CLASSES
#include "tpu_types.h.inc"
#define GET_ATTRDEF_CLASSES
#include "tpu_attrs.h.inc"
#define GET_OP_CLASSES
#include "tpu_ops.h.inc"
#define GET_OP_CLASSES
#include "tpux_ops.h.inc"
#pragma clang attribute pop

// AllTypes: `T` when all types agree, else `(operands) -> result`.
static ParseResult parseAllTypes(OpAsmParser &p, SmallVectorImpl<Type> &in, Type &out,
                                 const SmallVectorImpl<OpAsmParser::UnresolvedOperand> &operands) {
  FunctionType f;
  Type t;
  if (p.parseType(t))
    return failure();
  if (!(f = dyn_cast<FunctionType>(t))) {
    in.assign(operands.size(), t);
    out = t;
    return success();
  }
  if (f.getNumResults() != 1)
    return p.emitError(p.getCurrentLocation(), "expected one result type");
  in.assign(f.getInputs().begin(), f.getInputs().end());
  out = f.getResult(0);
  return success();
}
static void printAllTypes(OpAsmPrinter &p, Operation *, TypeRange in, Type out, OperandRange) {
  if (llvm::all_of(in, [&](Type t) { return t == out; }))
    p << out;
  else
    p.printFunctionalType(in, TypeRange(out));
}

#include "tpu_enums.cpp.inc"
#include "tpu_dialect.cpp.inc"
#include "tpux_dialect.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "tpu_types.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "tpu_attrs.cpp.inc"
#define GET_OP_CLASSES
#include "tpu_ops.cpp.inc"
#define GET_OP_CLASSES
#include "tpux_ops.cpp.inc"

void tpu::TiledLayoutAttr::print(AsmPrinter &p) const {
  p << '<';
  for (DenseI64ArrayAttr tile : getTiles()) {
    p << '(';
    llvm::interleave(tile.asArrayRef(), p.getStream(), ",");
    p << ')';
  }
  p << ",[";
  llvm::interleave(getTileStrides(), p.getStream(), ",");
  p << "]>";
}
Attribute tpu::TiledLayoutAttr::parse(AsmParser &p, Type) {
  SmallVector<DenseI64ArrayAttr> tiles;
  SmallVector<int64_t> sizes;
  auto size = [&] { return p.parseInteger(sizes.emplace_back()); };
  if (p.parseLess())
    return {};
  while (succeeded(p.parseOptionalLParen())) {
    if (p.parseCommaSeparatedList(size) || p.parseRParen())
      return {};
    tiles.push_back(DenseI64ArrayAttr::get(p.getContext(), sizes));
    sizes.clear();
  }
  if (p.parseComma() || p.parseCommaSeparatedList(AsmParser::Delimiter::Square, size) || p.parseGreater())
    return {};
  return get(p.getContext(), tiles, sizes);
}
// Elements are addressed by row-major index whatever the tiles.
AffineMap tpu::TiledLayoutAttr::getAffineMap() const {
  return AffineMap::getMultiDimIdentityMap(getTileStrides().size(), getContext());
}
LogicalResult tpu::TiledLayoutAttr::getStridesAndOffset(ArrayRef<int64_t> shape, SmallVectorImpl<int64_t> &strides,
                                                        int64_t &offset) const {
  offset = 0;
  strides.assign(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;)
    strides[i - 1] = ShapedType::isDynamic(shape[i]) ? ShapedType::kDynamic : strides[i] * shape[i];
  return success();
}

void tpu::TpuDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "tpu_types.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "tpu_attrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "tpu_ops.cpp.inc"
      >();
}
void tpux::TpuxDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "tpux_ops.cpp.inc"
      >();
}

extern "C" void tileproofInsertKernelDialects(MlirDialectRegistry r) {
  unwrap(r)->insert<tpu::TpuDialect, tpux::TpuxDialect>();
}
