//! Movement that is none: transposes and reshapes as bitcasts, copies that their user does as it reads.

use crate::{
    pass::Rewrite,
    rewrite::{OpRef, Rewriter, ValueRef, definition, users},
    target, values,
};
use melior::ir::operation::OperationLike;
use std::sync::Arc;
use tileproof_dialect::{
    hlo::{Op, bitcast::Bitcast, copy::Copy, dot_general::DotGeneral},
    mlir::views::hlo,
    op::InferContext,
    types::{Layout, TensorType, Type},
};

/// A bitcast of `x` to `to`, where the shape rule allows it.
fn bitcast<'c>(rewriter: &mut Rewriter<'c>, x: ValueRef<'c>, to: &Type) -> Option<ValueRef<'c>> {
    let from = values::tensor_type(rewriter, x)?;
    let order = from.layout.as_ref()?.minor_to_major.iter();
    let op = Op::Bitcast(Bitcast {
        source_layout: Some(order.map(|d| *d as i64).collect()),
    });
    let operand = [Type::Tensor(from)];
    let cx = InferContext {
        operands: &operand,
        declared: std::slice::from_ref(to),
        regions: &[],
    };
    op.infer(&cx).ok()?;
    rewriter.create_one(op, &[x], std::slice::from_ref(to))
}

/// transpose(x) -> bitcast(x), and a copy where that is not in the result's layout.
pub fn transpose<'c>(op: OpRef<'c>, rewriter: &mut Rewriter<'c>) -> Option<Vec<ValueRef<'c>>> {
    let view = hlo::TransposeOp::cast(op)?;
    let (x, permutation) = (view.operand(), view.permutation()?);
    let from = values::tensor_type(rewriter, x)?;
    let result = rewriter.ty(view.result())?;
    let to = result.as_tensor()?.clone();
    to.layout.as_ref()?;
    // Result dimension i is operand dimension permutation[i]: the order in memory stays.
    let place = |d: &u64| {
        permutation
            .iter()
            .position(|p| *p as u64 == *d)
            .map(|i| i as u64)
    };
    let order: Vec<u64> = from
        .layout
        .as_ref()?
        .minor_to_major
        .iter()
        .map(place)
        .collect::<Option<_>>()?;
    let layout = Some(target::DEFAULT.layout(&to, &order)?);
    let moved: Type = TensorType {
        layout,
        ..(*to).clone()
    }
    .into();
    let cast = bitcast(rewriter, x, &moved)?;
    if moved == result {
        return Some(vec![cast]);
    }
    rewriter.create(Copy, &[cast], &[result])
}

/// reshape(x) -> bitcast(x) where both place elements alike.
pub fn reshape<'c>(op: OpRef<'c>, rewriter: &mut Rewriter<'c>) -> Option<Vec<ValueRef<'c>>> {
    let view = hlo::ReshapeOp::cast(op)?;
    let result = rewriter.ty(view.result())?;
    let from = values::tensor_type(rewriter, view.operand())?;
    (is_row_major(from.layout.as_ref()?) && is_row_major(result.as_tensor()?.layout.as_ref()?))
        .then_some(())?;
    bitcast(rewriter, view.operand(), &result).map(|v| vec![v])
}

fn is_row_major(layout: &Layout) -> bool {
    layout
        .minor_to_major
        .iter()
        .rev()
        .enumerate()
        .all(|(i, d)| i as u64 == *d)
}

/// Lets `op` read what is copied for it into another order, where it can.
pub fn copies_into<'c>(
    rewriter: &mut Rewriter<'c>,
    op: OpRef<'c>,
    dot: &'static Rewrite,
    fusion: &'static Rewrite,
) {
    for index in 0..op.operand_count() {
        let Ok(copied) = op.operand(index) else {
            continue;
        };
        let Some(copy) = definition(copied).and_then(hlo::CopyOp::cast) else {
            continue;
        };
        let (source, copy) = (copy.operand(), copy.operation());
        let Some(from) = values::tensor_type(rewriter, source) else {
            continue;
        };
        let changed = if hlo::FusionOp::cast(op).is_some() {
            rewriter.update(fusion, op, |op, rewriter| {
                into_fusion(rewriter, op, index, source, &from)
            })
        } else {
            rewriter.update(dot, op, |op, rewriter| {
                let takes = takes_order(rewriter, op, index, &from);
                if takes {
                    rewriter.set_operand(op, index, source);
                }
                takes
            })
        };
        if changed {
            rewriter.erase_unused(copy);
        }
    }
}

/// Whether `op` is a dot that takes operand `index` in the order of `ty`: batch dimensions first, then one free and one contracted, in any order.
fn takes_order(rewriter: &Rewriter<'_>, op: OpRef<'_>, index: usize, ty: &TensorType) -> bool {
    if hlo::DotGeneralOp::cast(op).is_none() {
        return false;
    }
    let Some(Op::DotGeneral(dot)) = rewriter.read(op) else {
        return false;
    };
    let (batch, contracted) = sides(&dot, index);
    let Some(layout) = &ty.layout else {
        return false;
    };
    let major_to_minor: Vec<i64> = layout
        .minor_to_major
        .iter()
        .rev()
        .map(|d| *d as i64)
        .collect();
    major_to_minor.len() == batch.len() + 2
        && contracted.len() == 1
        && major_to_minor.starts_with(batch)
}

fn sides(dot: &DotGeneral, index: usize) -> (&[i64], &[i64]) {
    if index == 0 {
        (
            &dot.lhs_batching_dimensions,
            &dot.lhs_contracting_dimensions,
        )
    } else {
        (
            &dot.rhs_batching_dimensions,
            &dot.rhs_contracting_dimensions,
        )
    }
}

/// Operand `index` of a fusion becomes `source`, in its own order; the body copies it unless only dots that take the order read it.
fn into_fusion<'c>(
    rewriter: &mut Rewriter<'c>,
    op: OpRef<'c>,
    index: usize,
    source: ValueRef<'c>,
    from: &Arc<TensorType>,
) -> bool {
    let Some(argument) = rewriter.block_arguments(op, 0).get(index).copied() else {
        return false;
    };
    let Some(old) = rewriter.ty(argument) else {
        return false;
    };
    let readers = users(argument);
    let position = |reader: &OpRef<'c>| reader.operands().position(|v| v == argument).unwrap_or(0);
    let dots = readers
        .iter()
        .filter(|r| takes_order(rewriter, **r, position(r), from))
        .count();
    let is_fixed = |r: &OpRef<'c>| {
        // A buffer updated in place stays as it is; matrix units read whole operands.
        let is_update = hlo::DynamicUpdateSliceOp::cast(*r).is_some() && position(r) == 0;
        is_update || hlo::DotGeneralOp::cast(*r).is_some() || hlo::ConvolutionOp::cast(*r).is_some()
    };
    if dots < readers.len() && readers.iter().any(is_fixed) {
        return false;
    }
    rewriter.set_operand(op, index, source);
    rewriter.set_type(argument, &Type::Tensor(from.clone()));
    if dots == readers.len() {
        return true;
    }
    let Some(first) = rewriter
        .region_ops(op)
        .first()
        .and_then(|ops| ops.first())
        .copied()
    else {
        return true;
    };
    rewriter.insert_before(first);
    if let Some(copied) = rewriter.create_one(Copy, &[argument], &[old]) {
        rewriter.replace(argument, copied);
        if let Some(copy) = definition(copied) {
            rewriter.set_operand(copy, 0, argument);
        }
    }
    true
}
