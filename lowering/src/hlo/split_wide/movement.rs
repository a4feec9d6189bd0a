//! Movement of pairs: the same of each member.

use super::pairs::{join, split, wide};
use crate::rewrite::{OpRef, Rewriter, ValueRef};
use melior::ir::{Value, operation::OperationLike};
use std::ops::Range;
use tileproof_dialect::hlo::Op;

/// Operands whose elements an op moves to its one result; none for other ops.
fn moved(op: &Op, operands: usize) -> Option<Range<usize>> {
    match op.name() {
        "reshape" | "transpose" | "broadcast_in_dim" | "broadcast" | "slice" | "reverse"
        | "dynamic_slice" | "gather" => Some(0..1),
        "dynamic_update_slice" | "pad" => Some(0..2),
        "select" => Some(1..3),
        "concatenate" => Some(0..operands),
        _ => None,
    }
}

pub fn movement<'c>(op: OpRef<'c>, rewriter: &mut Rewriter<'c>) -> Option<Vec<ValueRef<'c>>> {
    let result = Value::from(op.results().next()?);
    let (kind, ty) = wide(rewriter, result)?;
    let typed = rewriter.read(op)?;
    let operands: Vec<ValueRef<'c>> = op.operands().collect();
    let moved = moved(&typed, operands.len()).filter(|r| r.end <= operands.len())?;
    operands[moved.clone()]
        .iter()
        .all(|v| wide(rewriter, *v).is_some_and(|(k, _)| k == kind))
        .then_some(())?;
    let mut members: Vec<[ValueRef<'c>; 2]> = vec![];
    for v in &operands[moved.clone()] {
        members.push(split(rewriter, *v)?);
    }
    let declared = [ty.with_element(kind.member()).into()];
    let mut out = vec![];
    for half in 0..2 {
        let mut own = operands.clone();
        for (i, pair) in moved.clone().zip(&members) {
            own[i] = pair[half];
        }
        out.push(rewriter.create_one(typed.clone(), &own, &declared)?);
    }
    Some(vec![join(rewriter, &ty, [out[0], out[1]])?])
}
