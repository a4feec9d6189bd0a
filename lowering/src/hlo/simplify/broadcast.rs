//! Rewrites of broadcasts. Elements keep their bits: all BitExact.

use crate::{
    pass::Rewrite,
    rewrite::{OpRef, Rewriter, ValueRef, definition},
    values,
};
use tileproof_dialect::{
    hlo::{broadcast_in_dim::BroadcastInDim, reshape::Reshape},
    mlir::views::hlo,
    numerics::Numerics,
};

/// BitExact.
pub const BROADCAST_OLD: Rewrite = Rewrite {
    name: "broadcast-old",
    equation: "broadcast(x, sizes)  ->  broadcast_in_dim(x, last dimensions)",
    numerics: Numerics::bit_exact,
    pattern: Some(broadcast_old),
};

fn broadcast_old<'c>(op: OpRef<'c>, rewriter: &mut Rewriter<'c>) -> Option<Vec<ValueRef<'c>>> {
    let op = hlo::BroadcastOp::cast(op)?;
    let rank = values::sizes(rewriter, op.result())?.len() as i64;
    let own = values::sizes(rewriter, op.operand())?.len() as i64;
    let broadcast_dimensions = (rank - own..rank).collect();
    let declared = values::declared(rewriter, op.result())?;
    rewriter.create(
        BroadcastInDim {
            broadcast_dimensions,
        },
        &[op.operand()],
        &declared,
    )
}

/// BitExact.
pub const BROADCAST_IDENTITY: Rewrite = Rewrite {
    name: "broadcast-identity",
    equation: "broadcast_in_dim(x, sizes of x, dimensions in order)  ->  x",
    numerics: Numerics::bit_exact,
    pattern: Some(broadcast_identity),
};

fn broadcast_identity<'c>(op: OpRef<'c>, rewriter: &mut Rewriter<'c>) -> Option<Vec<ValueRef<'c>>> {
    let op = hlo::BroadcastInDimOp::cast(op)?;
    let sizes = values::sizes(rewriter, op.result())?;
    let in_order = op
        .broadcast_dimensions()?
        .into_iter()
        .eq(0..sizes.len() as i64);
    let same = in_order && values::sizes(rewriter, op.operand())? == sizes;
    same.then(|| vec![op.operand()])
}

/// BitExact.
pub const BROADCAST_BROADCAST: Rewrite = Rewrite {
    name: "broadcast-broadcast",
    equation: "broadcast_in_dim(broadcast_in_dim(x, a), b)  ->  broadcast_in_dim(x, [b[a[0]], ..])",
    numerics: Numerics::bit_exact,
    pattern: Some(broadcast_broadcast),
};

fn broadcast_broadcast<'c>(
    op: OpRef<'c>,
    rewriter: &mut Rewriter<'c>,
) -> Option<Vec<ValueRef<'c>>> {
    let outer = hlo::BroadcastInDimOp::cast(op)?;
    let inner = hlo::BroadcastInDimOp::cast(definition(outer.operand())?)?;
    values::sizes(rewriter, inner.operand())?;
    values::sizes(rewriter, outer.result())?;
    let b = outer.broadcast_dimensions()?;
    let through = |d: i64| b.get(usize::try_from(d).ok()?).copied();
    let a = inner.broadcast_dimensions()?;
    let broadcast_dimensions = a.into_iter().map(through).collect::<Option<_>>()?;
    let declared = values::declared(rewriter, outer.result())?;
    rewriter.create(
        BroadcastInDim {
            broadcast_dimensions,
        },
        &[inner.operand()],
        &declared,
    )
}

/// Nothing is repeated and nothing changes places: BitExact.
pub const BROADCAST_RESHAPE: Rewrite = Rewrite {
    name: "broadcast-reshape",
    equation: "broadcast_in_dim(x, new dimensions of size 1)  ->  reshape(x)",
    numerics: Numerics::bit_exact,
    pattern: Some(broadcast_reshape),
};

fn broadcast_reshape<'c>(op: OpRef<'c>, rewriter: &mut Rewriter<'c>) -> Option<Vec<ValueRef<'c>>> {
    let op = hlo::BroadcastInDimOp::cast(op)?;
    let sizes = values::sizes(rewriter, op.operand())?;
    let result = values::sizes(rewriter, op.result())?;
    let longer =
        |sizes: &[i64]| -> Vec<i64> { sizes.iter().copied().filter(|n| *n != 1).collect() };
    let placed: Vec<i64> = op
        .broadcast_dimensions()?
        .into_iter()
        .zip(&sizes)
        .filter(|(_, n)| **n != 1)
        .map(|(d, _)| d)
        .collect();
    if longer(&sizes) != longer(&result) || !placed.is_sorted() {
        return None;
    }
    let declared = values::declared(rewriter, op.result())?;
    rewriter.create(Reshape, &[op.operand()], &declared)
}
