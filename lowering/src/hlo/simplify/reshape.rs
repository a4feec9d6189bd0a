//! Rewrites of reshapes. Elements keep their bits and their row-major order: all BitExact.

use crate::{
    pass::Rewrite,
    rewrite::{OpRef, Rewriter, ValueRef, definition},
    values,
};
use tileproof_dialect::{hlo::reshape::Reshape, mlir::views::hlo, numerics::Numerics};

/// BitExact.
pub const RESHAPE_IDENTITY: Rewrite = Rewrite {
    name: "reshape-identity",
    equation: "reshape(x, sizes of x)  ->  x",
    numerics: Numerics::bit_exact,
    pattern: Some(reshape_identity),
};

fn reshape_identity<'c>(op: OpRef<'c>, rewriter: &mut Rewriter<'c>) -> Option<Vec<ValueRef<'c>>> {
    let op = hlo::ReshapeOp::cast(op)?;
    let same = values::sizes(rewriter, op.operand())? == values::sizes(rewriter, op.result())?;
    same.then(|| vec![op.operand()])
}

/// BitExact.
pub const RESHAPE_RESHAPE: Rewrite = Rewrite {
    name: "reshape-reshape",
    equation: "reshape(reshape(x, a), b)  ->  reshape(x, b)",
    numerics: Numerics::bit_exact,
    pattern: Some(reshape_reshape),
};

fn reshape_reshape<'c>(op: OpRef<'c>, rewriter: &mut Rewriter<'c>) -> Option<Vec<ValueRef<'c>>> {
    let outer = hlo::ReshapeOp::cast(op)?;
    let inner = hlo::ReshapeOp::cast(definition(outer.operand())?)?;
    let declared = values::declared(rewriter, outer.result())?;
    rewriter.create(Reshape, &[inner.operand()], &declared)
}
