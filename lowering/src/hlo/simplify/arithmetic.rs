//! Rewrites of arithmetic.

use crate::{
    pass::Rewrite,
    rewrite::{OpRef, Rewriter, ValueRef, definition},
};
use tileproof_dialect::{mlir::views::hlo, numerics::Numerics};

/// The sign bit is flipped twice: BitExact.
pub const NEGATE_NEGATE: Rewrite = Rewrite {
    name: "negate-negate",
    equation: "-(-x)  ->  x",
    numerics: Numerics::bit_exact,
    pattern: Some(negate_negate),
};

fn negate_negate<'c>(op: OpRef<'c>, _: &mut Rewriter<'c>) -> Option<Vec<ValueRef<'c>>> {
    let outer = hlo::NegateOp::cast(op)?;
    let inner = hlo::NegateOp::cast(definition(outer.operand())?)?;
    Some(vec![inner.operand()])
}
