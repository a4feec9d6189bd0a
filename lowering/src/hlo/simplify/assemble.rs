//! Rewrites of ops that put tensors together: pad, concatenate. Elements keep their bits: all BitExact.

use crate::{
    pass::Rewrite,
    rewrite::{OpRef, Rewriter, ValueRef, definition, users},
    values,
};
use tileproof_dialect::{
    hlo::{concatenate::Concatenate, slice::Slice},
    mlir::views::hlo,
    numerics::Numerics,
};

/// BitExact.
pub const PAD_NOTHING: Rewrite = Rewrite {
    name: "pad-nothing",
    equation: "pad(x, v, low = 0, high = 0, interior = 0)  ->  x",
    numerics: Numerics::bit_exact,
    pattern: Some(pad_nothing),
};

fn pad_nothing<'c>(op: OpRef<'c>, _: &mut Rewriter<'c>) -> Option<Vec<ValueRef<'c>>> {
    let op = hlo::PadOp::cast(op)?;
    let all = [
        op.edge_padding_low()?,
        op.edge_padding_high()?,
        op.interior_padding()?,
    ];
    all.iter()
        .flatten()
        .all(|n| *n == 0)
        .then(|| vec![op.operand()])
}

/// BitExact.
pub const CONCATENATE_ONE: Rewrite = Rewrite {
    name: "concatenate-one",
    equation: "concatenate(x)  ->  x",
    numerics: Numerics::bit_exact,
    pattern: Some(concatenate_one),
};

fn concatenate_one<'c>(op: OpRef<'c>, _: &mut Rewriter<'c>) -> Option<Vec<ValueRef<'c>>> {
    let inputs = hlo::ConcatenateOp::cast(op)?.inputs();
    (inputs.len() == 1).then_some(inputs)
}

/// BitExact.
pub const CONCATENATE_EMPTY: Rewrite = Rewrite {
    name: "concatenate-empty",
    equation: "concatenate(.., x without elements, ..)  ->  concatenate(.., ..)",
    numerics: Numerics::bit_exact,
    pattern: Some(concatenate_empty),
};

fn concatenate_empty<'c>(op: OpRef<'c>, rewriter: &mut Rewriter<'c>) -> Option<Vec<ValueRef<'c>>> {
    let op = hlo::ConcatenateOp::cast(op)?;
    let dimension = op.dimension()?;
    let inputs = op.inputs();
    let mut kept = vec![];
    for input in &inputs {
        let sizes = values::sizes(rewriter, *input)?;
        if *sizes.get(usize::try_from(dimension).ok()?)? > 0 {
            kept.push(*input);
        }
    }
    if kept.is_empty() {
        // All inputs have the sizes of the result.
        return Some(vec![*inputs.first()?]);
    }
    if kept.len() == inputs.len() {
        return None;
    }
    rewriter.create(Concatenate { dimension }, &kept, &[])
}

/// BitExact. An inner one with other users is left alone: its elements would be moved twice.
pub const CONCATENATE_CONCATENATE: Rewrite = Rewrite {
    name: "concatenate-concatenate",
    equation: "concatenate(x, concatenate(y, z))  ->  concatenate(x, y, z)  along one dimension",
    numerics: Numerics::bit_exact,
    pattern: Some(concatenate_concatenate),
};

fn concatenate_concatenate<'c>(
    op: OpRef<'c>,
    rewriter: &mut Rewriter<'c>,
) -> Option<Vec<ValueRef<'c>>> {
    let op = hlo::ConcatenateOp::cast(op)?;
    let dimension = op.dimension()?;
    let inner = |v: ValueRef<'c>| {
        let inner = hlo::ConcatenateOp::cast(definition(v)?)?;
        (inner.dimension()? == dimension && users(v).len() == 1).then(|| inner.inputs())
    };
    let inputs = op.inputs();
    let flat: Vec<ValueRef<'c>> = inputs
        .iter()
        .flat_map(|v| inner(*v).unwrap_or_else(|| vec![*v]))
        .collect();
    if flat.len() == inputs.len() && flat == inputs {
        return None;
    }
    rewriter.create(Concatenate { dimension }, &flat, &[])
}

/// BitExact.
pub const CONCATENATE_SLICES: Rewrite = Rewrite {
    name: "concatenate-slices",
    equation: "concatenate(slice(x, a, b), slice(x, b, c))  ->  concatenate(slice(x, a, c))",
    numerics: Numerics::bit_exact,
    pattern: Some(concatenate_slices),
};

fn concatenate_slices<'c>(op: OpRef<'c>, rewriter: &mut Rewriter<'c>) -> Option<Vec<ValueRef<'c>>> {
    let op = hlo::ConcatenateOp::cast(op)?;
    let dimension = op.dimension()?;
    let d = usize::try_from(dimension).ok()?;
    let inputs = op.inputs();
    let pair = inputs
        .windows(2)
        .position(|pair| joined(pair, d).is_some())?;
    let (slice, x) = joined(inputs.get(pair..pair + 2)?, d)?;
    let slice = rewriter.create_one(slice, &[x], &[])?;
    let (first, rest) = inputs.split_at(pair);
    let all = [first, &[slice], rest.get(2..)?].concat();
    rewriter.create(Concatenate { dimension }, &all, &[])
}

/// The slice that two neighbouring slices of one operand make along dimension `d`.
fn joined<'c>(pair: &[ValueRef<'c>], d: usize) -> Option<(Slice, ValueRef<'c>)> {
    let [first, second] = pair else { return None };
    let first = hlo::SliceOp::cast(definition(*first)?)?;
    let second = hlo::SliceOp::cast(definition(*second)?)?;
    let mut joined = Slice {
        start_indices: first.start_indices()?,
        limit_indices: first.limit_indices()?,
        strides: first.strides()?,
    };
    let mut next = second.start_indices()?;
    let (begin, end) = (*joined.start_indices.get(d)?, *joined.limit_indices.get(d)?);
    let limits = second.limit_indices()?;
    let follows = first.operand() == second.operand()
        && joined.strides == second.strides()?
        && *joined.strides.get(d)? == 1
        && *next.get(d)? == end;
    *joined.limit_indices.get_mut(d)? = *limits.get(d)?;
    *next.get_mut(d)? = begin;
    let others_agree = next == joined.start_indices && limits == joined.limit_indices;
    (follows && others_agree).then(|| (joined, first.operand()))
}
