//! Rewrites of conversions.

use crate::{
    pass::Rewrite,
    rewrite::{OpRef, Rewriter, ValueRef, definition},
    values,
};
use tileproof_dialect::{
    hlo::convert::Convert,
    mlir::views::hlo,
    numerics::Numerics,
    types::{Class, ElementType},
};

/// BitExact.
pub const CONVERT_IDENTITY: Rewrite = Rewrite {
    name: "convert-identity",
    equation: "convert(x, element type of x)  ->  x",
    numerics: Numerics::bit_exact,
    pattern: Some(convert_identity),
};

fn convert_identity<'c>(op: OpRef<'c>, rewriter: &mut Rewriter<'c>) -> Option<Vec<ValueRef<'c>>> {
    let op = hlo::ConvertOp::cast(op)?;
    (rewriter.ty(op.operand())? == rewriter.ty(op.result())?).then(|| vec![op.operand()])
}

/// The wider type holds every value of the narrower one, infinities, NaN and signed zeros too, so the second conversion sees the same number and
/// rounds it the same way: BitExact. Left alone where the kinds convert differently: integers wrap to integers and saturate from floats.
pub const CONVERT_CONVERT: Rewrite = Rewrite {
    name: "convert-convert",
    equation: "convert(convert(x, W), T)  ->  convert(x, T)  where W holds every value of x's type",
    numerics: Numerics::bit_exact,
    pattern: Some(convert_convert),
};

fn convert_convert<'c>(op: OpRef<'c>, rewriter: &mut Rewriter<'c>) -> Option<Vec<ValueRef<'c>>> {
    let outer = hlo::ConvertOp::cast(op)?;
    let inner = hlo::ConvertOp::cast(definition(outer.operand())?)?;
    let element = |v| Some(values::tensor_type(rewriter, v)?.element.clone());
    let from = element(inner.operand())?;
    let (wide, to) = (element(inner.result())?, element(outer.result())?);
    let is_sound = match (wide.class(), to.class()) {
        _ if from == to => true,
        (Class::Signed | Class::Unsigned, _) | (Class::Float, Class::Float) => true,
        (Class::Float, Class::Signed | Class::Unsigned | Class::Boolean) => from.is_float(),
        (Class::Boolean | Class::Complex | Class::Quantized, _) => false,
        (Class::Float, Class::Complex | Class::Quantized) => false,
    };
    if !is_sound || !holds(&wide, &from) {
        return None;
    }
    let declared = values::declared(rewriter, outer.result())?;
    rewriter.create(Convert, &[inner.operand()], &declared)
}

/// Whether every value of `narrow` is a value of `wide`.
fn holds(wide: &ElementType, narrow: &ElementType) -> bool {
    let (w, n) = (wide.bits(), narrow.bits());
    // Significant bits of the float types that hold integers.
    let significand = match wide {
        ElementType::BF16 => 8,
        ElementType::F16 => 11,
        ElementType::F32 => 24,
        ElementType::F64 => 53,
        _ => 0,
    };
    match (narrow.class(), wide.class()) {
        (Class::Boolean | Class::Unsigned, Class::Signed) => n < w,
        (Class::Boolean | Class::Unsigned, Class::Unsigned) => n <= w,
        (Class::Boolean | Class::Unsigned, Class::Float) => n <= significand,
        (Class::Signed, Class::Signed) => n <= w,
        (Class::Signed, Class::Float) => n <= significand + 1,
        (Class::Float, Class::Float) => {
            narrow == wide
                || match wide {
                    ElementType::F64 => true,
                    ElementType::F32 => *narrow != ElementType::F64,
                    _ => false,
                }
        }
        (Class::Boolean | Class::Signed | Class::Unsigned | Class::Float, _) => false,
        (Class::Complex | Class::Quantized, _) => false,
    }
}

/// BitExact.
pub const BITCAST_CONVERT_IDENTITY: Rewrite = Rewrite {
    name: "bitcast-convert-identity",
    equation: "bitcast_convert(x, type of x)  ->  x",
    numerics: Numerics::bit_exact,
    pattern: Some(bitcast_convert_identity),
};

fn bitcast_convert_identity<'c>(
    op: OpRef<'c>,
    rewriter: &mut Rewriter<'c>,
) -> Option<Vec<ValueRef<'c>>> {
    let op = hlo::BitcastConvertOp::cast(op)?;
    (rewriter.ty(op.operand())? == rewriter.ty(op.result())?).then(|| vec![op.operand()])
}

/// Rounding to the type a value has: BitExact.
pub const REDUCE_PRECISION_IDENTITY: Rewrite = Rewrite {
    name: "reduce-precision-identity",
    equation: "reduce_precision(x, bits of x's type)  ->  x",
    numerics: Numerics::bit_exact,
    pattern: Some(reduce_precision_identity),
};

fn reduce_precision_identity<'c>(
    op: OpRef<'c>,
    rewriter: &mut Rewriter<'c>,
) -> Option<Vec<ValueRef<'c>>> {
    let op = hlo::ReducePrecisionOp::cast(op)?;
    let bits = (op.exponent_bits()?, op.mantissa_bits()?);
    let own = match values::tensor_type(rewriter, op.operand())?.element {
        ElementType::F16 => (5, 10),
        ElementType::BF16 => (8, 7),
        ElementType::F32 => (8, 23),
        ElementType::F64 => (11, 52),
        _ => return None,
    };
    (bits == own).then(|| vec![op.operand()])
}
