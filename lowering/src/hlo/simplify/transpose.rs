//! Rewrites of transposes and reverses. Elements keep their bits: all BitExact.

use crate::{
    pass::Rewrite,
    rewrite::{OpRef, Rewriter, ValueRef, definition},
    values,
};
use tileproof_dialect::{
    hlo::{
        broadcast_in_dim::BroadcastInDim, reshape::Reshape, reverse::Reverse, transpose::Transpose,
    },
    mlir::views::hlo,
    numerics::Numerics,
};

/// BitExact.
pub const TRANSPOSE_IDENTITY: Rewrite = Rewrite {
    name: "transpose-identity",
    equation: "transpose(x, [0, 1, ..])  ->  x",
    numerics: Numerics::bit_exact,
    pattern: Some(transpose_identity),
};

fn transpose_identity<'c>(op: OpRef<'c>, _: &mut Rewriter<'c>) -> Option<Vec<ValueRef<'c>>> {
    let op = hlo::TransposeOp::cast(op)?;
    op.permutation()?.is_sorted().then(|| vec![op.operand()])
}

/// BitExact.
pub const TRANSPOSE_TRANSPOSE: Rewrite = Rewrite {
    name: "transpose-transpose",
    equation: "transpose(transpose(x, a), b)  ->  transpose(x, [a[b[0]], ..])",
    numerics: Numerics::bit_exact,
    pattern: Some(transpose_transpose),
};

fn transpose_transpose<'c>(
    op: OpRef<'c>,
    rewriter: &mut Rewriter<'c>,
) -> Option<Vec<ValueRef<'c>>> {
    let outer = hlo::TransposeOp::cast(op)?;
    let inner = hlo::TransposeOp::cast(definition(outer.operand())?)?;
    let a = inner.permutation()?;
    let through = |d: i64| a.get(usize::try_from(d).ok()?).copied();
    let permutation = outer
        .permutation()?
        .into_iter()
        .map(through)
        .collect::<Option<_>>()?;
    let declared = values::declared(rewriter, outer.result())?;
    rewriter.create(Transpose { permutation }, &[inner.operand()], &declared)
}

/// BitExact.
pub const TRANSPOSE_BROADCAST: Rewrite = Rewrite {
    name: "transpose-broadcast",
    equation: "transpose(broadcast_in_dim(x, a), p)  ->  broadcast_in_dim(x, [places of a in p])",
    numerics: Numerics::bit_exact,
    pattern: Some(transpose_broadcast),
};

fn transpose_broadcast<'c>(
    op: OpRef<'c>,
    rewriter: &mut Rewriter<'c>,
) -> Option<Vec<ValueRef<'c>>> {
    let transpose = hlo::TransposeOp::cast(op)?;
    let broadcast = hlo::BroadcastInDimOp::cast(definition(transpose.operand())?)?;
    let permutation = transpose.permutation()?;
    let place = |d: i64| Some(permutation.iter().position(|p| *p == d)? as i64);
    let placed = broadcast.broadcast_dimensions()?.into_iter().map(place);
    let broadcast_dimensions = placed.collect::<Option<_>>()?;
    let declared = values::declared(rewriter, transpose.result())?;
    rewriter.create(
        BroadcastInDim {
            broadcast_dimensions,
        },
        &[broadcast.operand()],
        &declared,
    )
}

/// Dimensions of size 1 do not move elements: BitExact.
pub const TRANSPOSE_RESHAPE: Rewrite = Rewrite {
    name: "transpose-reshape",
    equation: "transpose(x, moving dimensions of size 1 only)  ->  reshape(x)",
    numerics: Numerics::bit_exact,
    pattern: Some(transpose_reshape),
};

fn transpose_reshape<'c>(op: OpRef<'c>, rewriter: &mut Rewriter<'c>) -> Option<Vec<ValueRef<'c>>> {
    let op = hlo::TransposeOp::cast(op)?;
    let result = values::sizes(rewriter, op.result())?;
    let permutation = op.permutation()?;
    let longer = permutation.iter().zip(&result).filter(|(_, n)| **n != 1);
    if !longer.map(|(d, _)| d).is_sorted() {
        return None;
    }
    let declared = values::declared(rewriter, op.result())?;
    rewriter.create(Reshape, &[op.operand()], &declared)
}

/// BitExact.
pub const REVERSE_REVERSE: Rewrite = Rewrite {
    name: "reverse-reverse",
    equation: "reverse(reverse(x, a), b)  ->  reverse(x, dimensions in one of a, b)",
    numerics: Numerics::bit_exact,
    pattern: Some(reverse_reverse),
};

fn reverse_reverse<'c>(op: OpRef<'c>, rewriter: &mut Rewriter<'c>) -> Option<Vec<ValueRef<'c>>> {
    let outer = hlo::ReverseOp::cast(op)?;
    let inner = hlo::ReverseOp::cast(definition(outer.operand())?)?;
    let (a, b) = (inner.dimensions()?, outer.dimensions()?);
    let only = |x: &[i64], y: &[i64]| -> Vec<i64> {
        x.iter().copied().filter(|d| !y.contains(d)).collect()
    };
    let dimensions = [only(&a, &b), only(&b, &a)].concat();
    if dimensions.is_empty() {
        return Some(vec![inner.operand()]);
    }
    rewriter.create(Reverse { dimensions }, &[inner.operand()], &[])
}

/// One element is its own mirror image: BitExact.
pub const REVERSE_SINGLE: Rewrite = Rewrite {
    name: "reverse-single",
    equation: "reverse(x, dimensions of size at most 1)  ->  x",
    numerics: Numerics::bit_exact,
    pattern: Some(reverse_single),
};

fn reverse_single<'c>(op: OpRef<'c>, rewriter: &mut Rewriter<'c>) -> Option<Vec<ValueRef<'c>>> {
    let op = hlo::ReverseOp::cast(op)?;
    let sizes = values::sizes(rewriter, op.operand())?;
    let size = |d: i64| sizes.get(usize::try_from(d).ok()?).copied();
    let all = op
        .dimensions()?
        .into_iter()
        .map(size)
        .collect::<Option<Vec<_>>>()?;
    all.iter().all(|n| *n <= 1).then(|| vec![op.operand()])
}
