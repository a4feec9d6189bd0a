// Registers the ODS dialects. All that ODS cannot generate, and nothing else.
// Built with clang++: a g++ build loses traits against a clang-built libMLIR.
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Registration.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

// Internal linkage: the compiler drops the members of generated classes that nothing uses, most of them.
#pragma clang attribute push(__attribute__((internal_linkage)), apply_to = record)
#include "hlo_dialect.h.inc"
#define GET_TYPEDEF_CLASSES
#include "hlo_types.h.inc"
#define GET_ATTRDEF_CLASSES
#include "hlo_attrs.h.inc"
#define GET_OP_CLASSES
#include "hlo_ops.h.inc"
#pragma clang attribute pop

// OpTypes: `T` when all types agree, else `(operands) -> result`.
static ParseResult parseTypes(OpAsmParser &p, ArrayRef<Type *> types) {
  if (failed(p.parseOptionalLParen())) {
    if (p.parseType(*types[0]))
      return failure();
    for (Type *t : types)
      *t = *types[0];
    return success();
  }
  for (size_t i = 0; i + 1 < types.size(); ++i)
    if ((i && p.parseComma()) || p.parseType(*types[i]))
      return failure();
  return failure(p.parseRParen() || p.parseArrow() || p.parseType(*types.back()));
}
static void printTypes(OpAsmPrinter &p, ArrayRef<Type> types) {
  if (llvm::all_equal(types) && !isa<TupleType>(types[0]))
    p << types[0];
  else
    p.printFunctionalType(types.drop_back(), types.take_back());
}
static ParseResult parseOpTypes(OpAsmParser &p, Type &a, Type &r) { return parseTypes(p, {&a, &r}); }
static void printOpTypes(OpAsmPrinter &p, Operation *, Type a, Type r) { printTypes(p, {a, r}); }
static ParseResult parseOpTypes(OpAsmParser &p, Type &a, Type &b, Type &r) { return parseTypes(p, {&a, &b, &r}); }
static void printOpTypes(OpAsmPrinter &p, Operation *, Type a, Type b, Type r) { printTypes(p, {a, b, r}); }

// ConstantValue: the value, then `-> T` when T is not the value's own type.
static ParseResult parseConstantValue(OpAsmParser &p, ElementsAttr &v, Type &t) {
  if (p.parseAttribute(v))
    return failure();
  t = v.getType();
  return failed(p.parseOptionalArrow()) ? success() : p.parseType(t);
}
static void printConstantValue(OpAsmPrinter &p, Operation *, ElementsAttr v, Type t) {
  p << v;
  if (t != v.getType())
    p << " -> " << t;
}

#include "hlo_dialect.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "hlo_types.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "hlo_attrs.cpp.inc"
#define GET_OP_CLASSES
#include "hlo_ops.cpp.inc"

void hlo::HloDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "hlo_types.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "hlo_attrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "hlo_ops.cpp.inc"
      >();
}

extern "C" {
void tileproofInsertDialects(MlirDialectRegistry r) { unwrap(r)->insert<hlo::HloDialect>(); }

MlirType tileproofTokenGet(MlirContext c) { return wrap(hlo::TokenType::get(unwrap(c))); }
bool tileproofTypeIsAToken(MlirType t) { return isa<hlo::TokenType>(unwrap(t)); }

// Lists are DenseI64ArrayAttr; `bounds` may be null.
MlirAttribute tileproofLayoutGet(MlirContext c, MlirAttribute order, intptr_t n, const MlirAttribute *tiles,
                                 MlirAttribute bounds) {
  SmallVector<DenseI64ArrayAttr> ts;
  for (intptr_t i = 0; i < n; ++i)
    ts.push_back(cast<DenseI64ArrayAttr>(unwrap(tiles[i])));
  return wrap(hlo::LayoutAttr::get(unwrap(c), cast<DenseI64ArrayAttr>(unwrap(order)), ts,
                                   cast_or_null<DenseI64ArrayAttr>(unwrap(bounds))));
}
bool tileproofAttributeIsALayout(MlirAttribute a) { return isa<hlo::LayoutAttr>(unwrap(a)); }
MlirAttribute tileproofLayoutOrder(MlirAttribute a) { return wrap(cast<hlo::LayoutAttr>(unwrap(a)).getMinorToMajor()); }
intptr_t tileproofLayoutNumTiles(MlirAttribute a) { return cast<hlo::LayoutAttr>(unwrap(a)).getTiles().size(); }
MlirAttribute tileproofLayoutTile(MlirAttribute a, intptr_t i) {
  return wrap(cast<hlo::LayoutAttr>(unwrap(a)).getTiles()[i]);
}
MlirAttribute tileproofLayoutBounds(MlirAttribute a) { return wrap(cast<hlo::LayoutAttr>(unwrap(a)).getBounds()); }

// The bytes of a `dense_resource`; null when the text held only its name.
MlirStringRef tileproofResourceBytes(MlirAttribute a) {
  AsmResourceBlob *blob = cast<DenseResourceElementsAttr>(unwrap(a)).getRawHandle().getBlob();
  return blob ? mlirStringRefCreate(blob->getData().data(), blob->getData().size()) : MlirStringRef{nullptr, 0};
}
}
