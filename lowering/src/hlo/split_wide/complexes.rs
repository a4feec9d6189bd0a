//! Complex numbers by their parts, where each part of the result is rounded once.

use super::pairs::{Wide, is_named, join, split, wide};
use crate::rewrite::{OpRef, Rewriter, ValueRef};
use melior::ir::{Value, operation::OperationLike};
use tileproof_dialect::hlo::{
    Op,
    and::And,
    compare::{Compare, Direction},
    negate::Negate,
    or::Or,
};

/// z + w, z - w, -z, conj z.
pub fn sum<'c>(op: OpRef<'c>, rewriter: &mut Rewriter<'c>) -> Option<Vec<ValueRef<'c>>> {
    let (kind, ty) = wide(rewriter, Value::from(op.results().next()?))?;
    let typed = rewriter.read(op)?;
    if kind != Wide::Complex || !matches!(typed.name(), "add" | "subtract" | "negate" | "conj") {
        return None;
    }
    let mut members = vec![];
    for v in op.operands() {
        members.push(split(rewriter, v)?);
    }
    let part = |k: usize| members.iter().map(|m| m[k]).collect::<Vec<_>>();
    let (real, imag) = if typed.name() == "conj" {
        (
            members.first()?[0],
            rewriter.create_one(Negate, &part(1), &[])?,
        )
    } else {
        (
            rewriter.create_one(typed.clone(), &part(0), &[])?,
            rewriter.create_one(typed, &part(1), &[])?,
        )
    };
    Some(vec![join(rewriter, &ty, [real, imag])?])
}

/// z = w, z != w.
pub fn compare<'c>(op: OpRef<'c>, rewriter: &mut Rewriter<'c>) -> Option<Vec<ValueRef<'c>>> {
    is_named(op, &["compare"]).then_some(())?;
    let Op::Compare(compare) = rewriter.read(op)? else {
        return None;
    };
    let operands: Vec<ValueRef<'c>> = op.operands().collect();
    let [z, w] = operands.as_slice() else {
        return None;
    };
    (wide(rewriter, *z)?.0 == Wide::Complex).then_some(())?;
    let direction = compare.comparison_direction;
    matches!(direction, Direction::Eq | Direction::Ne).then_some(())?;
    let (z, w) = (split(rewriter, *z)?, split(rewriter, *w)?);
    let by_part = Compare {
        comparison_direction: direction,
        compare_type: None,
    };
    let real = rewriter.create_one(by_part.clone(), &[z[0], w[0]], &[])?;
    let imag = rewriter.create_one(by_part, &[z[1], w[1]], &[])?;
    if direction == Direction::Eq {
        rewriter.create(And, &[real, imag], &[])
    } else {
        rewriter.create(Or, &[real, imag], &[])
    }
}
