//! Rewrites of slices and updates, static and dynamic. Elements keep their bits: all BitExact.

use crate::{
    pass::Rewrite,
    rewrite::{OpRef, Rewriter, ValueRef, definition},
    values,
};
use tileproof_dialect::{hlo::slice::Slice, mlir::views::hlo, numerics::Numerics, types::Class};

/// A slice of the operand's sizes starts at 0 with stride 1: BitExact.
pub const SLICE_FULL: Rewrite = Rewrite {
    name: "slice-full",
    equation: "slice(x, 0, sizes of x, 1)  ->  x",
    numerics: Numerics::bit_exact,
    pattern: Some(slice_full),
};

fn slice_full<'c>(op: OpRef<'c>, rewriter: &mut Rewriter<'c>) -> Option<Vec<ValueRef<'c>>> {
    let op = hlo::SliceOp::cast(op)?;
    let same = values::sizes(rewriter, op.operand())? == values::sizes(rewriter, op.result())?;
    same.then(|| vec![op.operand()])
}

/// BitExact.
pub const SLICE_SLICE: Rewrite = Rewrite {
    name: "slice-slice",
    equation: "slice(slice(x, a, _, s), b, _, t)  ->  slice(x, a + b*s, _, s*t)",
    numerics: Numerics::bit_exact,
    pattern: Some(slice_slice),
};

fn slice_slice<'c>(op: OpRef<'c>, rewriter: &mut Rewriter<'c>) -> Option<Vec<ValueRef<'c>>> {
    let outer = hlo::SliceOp::cast(op)?;
    let inner = hlo::SliceOp::cast(definition(outer.operand())?)?;
    let sizes = values::sizes(rewriter, outer.result())?;
    let (a, s) = (inner.start_indices()?, inner.strides()?);
    let (b, t) = (outer.start_indices()?, outer.strides()?);
    let mut slice = Slice {
        start_indices: vec![],
        limit_indices: vec![],
        strides: vec![],
    };
    for ((((a, s), b), t), n) in a.iter().zip(&s).zip(&b).zip(&t).zip(&sizes) {
        // With at most one element the stride says nothing, and an empty slice may start beyond the end.
        let stride = if *n > 1 { s.checked_mul(*t)? } else { 1 };
        let start = if *n > 0 {
            b.checked_mul(*s)?.checked_add(*a)?
        } else {
            0
        };
        let last = (*n - 1).max(0).checked_mul(stride)?.checked_add(start)?;
        slice.start_indices.push(start);
        slice.limit_indices.push(if *n > 0 { last + 1 } else { 0 });
        slice.strides.push(stride);
    }
    rewriter.create(slice, &[inner.operand()], &[])
}

/// BitExact.
pub const SLICE_CONCATENATE: Rewrite = Rewrite {
    name: "slice-concatenate",
    equation: "slice(concatenate(.., x, ..), inside x)  ->  slice(x)",
    numerics: Numerics::bit_exact,
    pattern: Some(slice_concatenate),
};

fn slice_concatenate<'c>(op: OpRef<'c>, rewriter: &mut Rewriter<'c>) -> Option<Vec<ValueRef<'c>>> {
    let slice = hlo::SliceOp::cast(op)?;
    let concatenate = hlo::ConcatenateOp::cast(definition(slice.operand())?)?;
    let d = usize::try_from(concatenate.dimension()?).ok()?;
    let mut moved = Slice {
        start_indices: slice.start_indices()?,
        limit_indices: slice.limit_indices()?,
        strides: slice.strides()?,
    };
    let (start, limit) = (*moved.start_indices.get(d)?, *moved.limit_indices.get(d)?);
    let mut offset = 0;
    for input in concatenate.inputs() {
        let size = *values::sizes(rewriter, input)?.get(d)?;
        if start >= offset && limit <= offset + size {
            *moved.start_indices.get_mut(d)? = start - offset;
            *moved.limit_indices.get_mut(d)? = limit - offset;
            return rewriter.create(moved, &[input], &[]);
        }
        offset += size;
    }
    None
}

/// A box of the operand's sizes is clamped to start at 0: BitExact.
pub const DYNAMIC_SLICE_FULL: Rewrite = Rewrite {
    name: "dynamic-slice-full",
    equation: "dynamic_slice(x, starts.., sizes of x)  ->  x",
    numerics: Numerics::bit_exact,
    pattern: Some(dynamic_slice_full),
};

fn dynamic_slice_full<'c>(op: OpRef<'c>, rewriter: &mut Rewriter<'c>) -> Option<Vec<ValueRef<'c>>> {
    let op = hlo::DynamicSliceOp::cast(op)?;
    let same = values::sizes(rewriter, op.operand())? == values::sizes(rewriter, op.result())?;
    same.then(|| vec![op.operand()])
}

/// The starts are clamped as the op clamps them: BitExact.
pub const DYNAMIC_SLICE_CONSTANT: Rewrite = Rewrite {
    name: "dynamic-slice-constant",
    equation: "dynamic_slice(x, constants, sizes)  ->  slice(x, clamp(0, constants, sizes of x - sizes))",
    numerics: Numerics::bit_exact,
    pattern: Some(dynamic_slice_constant),
};

fn dynamic_slice_constant<'c>(
    op: OpRef<'c>,
    rewriter: &mut Rewriter<'c>,
) -> Option<Vec<ValueRef<'c>>> {
    let op = hlo::DynamicSliceOp::cast(op)?;
    let (dims, sizes) = (values::sizes(rewriter, op.operand())?, op.slice_sizes()?);
    let starts = op.start_indices();
    if starts.len() != dims.len() || sizes.len() != dims.len() {
        return None;
    }
    let mut slice = Slice {
        start_indices: vec![],
        limit_indices: vec![],
        strides: vec![1; dims.len()],
    };
    for ((start, n), size) in starts.into_iter().zip(&dims).zip(&sizes) {
        let constant = values::splat_integer(rewriter, start)?;
        let is_huge = constant < 0 && values::class(rewriter, start)? == Class::Unsigned;
        let last = n.checked_sub(*size).filter(|last| *last >= 0)?;
        let start = if is_huge {
            last
        } else {
            constant.clamp(0, last)
        };
        slice.start_indices.push(start);
        slice.limit_indices.push(start + size);
    }
    rewriter.create(slice, &[op.operand()], &[])
}

/// A box of the operand's sizes is clamped to start at 0 and covers it: BitExact.
pub const UPDATE_FULL: Rewrite = Rewrite {
    name: "update-full",
    equation: "dynamic_update_slice(x, u, starts..)  ->  u  where u has the sizes of x",
    numerics: Numerics::bit_exact,
    pattern: Some(update_full),
};

fn update_full<'c>(op: OpRef<'c>, rewriter: &mut Rewriter<'c>) -> Option<Vec<ValueRef<'c>>> {
    let op = hlo::DynamicUpdateSliceOp::cast(op)?;
    let same = values::sizes(rewriter, op.operand())? == values::sizes(rewriter, op.update())?;
    same.then(|| vec![op.update()])
}

/// BitExact.
pub const UPDATE_EMPTY: Rewrite = Rewrite {
    name: "update-empty",
    equation: "dynamic_update_slice(x, u, starts..)  ->  x  where u has no elements",
    numerics: Numerics::bit_exact,
    pattern: Some(update_empty),
};

fn update_empty<'c>(op: OpRef<'c>, rewriter: &mut Rewriter<'c>) -> Option<Vec<ValueRef<'c>>> {
    let op = hlo::DynamicUpdateSliceOp::cast(op)?;
    let empty = values::sizes(rewriter, op.update())?.contains(&0);
    empty.then(|| vec![op.operand()])
}
