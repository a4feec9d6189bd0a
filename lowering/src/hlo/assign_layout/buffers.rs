//! The alias relation: which results take the buffers of operands. `verifier/src/alias.rs` checks it.

use super::ALIASES;
use crate::{
    analysis::block::{Body, Owner},
    pass::Rewrite,
    rewrite::{OpRef, Rewriter, ValueRef, definition},
};
use melior::ir::{Value, ValueLike, operation::OperationLike};
use std::collections::HashMap;
use tileproof_dialect::mlir::{self, views::hlo};

/// Ops whose results are not theirs alone: constants, other names of operands, and what functions and branches give.
const NOT_OWN: &[&str] = &[
    "constant",
    "bitcast",
    "tuple",
    "get_tuple_element",
    "optimization_barrier",
    "add_dependency",
    "domain",
    "composite",
    "custom_call",
    "if",
    "case",
    "async_start",
    "async_update",
    "async_done",
    "copy_start",
    "copy_done",
];

/// Where a value of a block is used: positions of ops, one for each use.
type Uses<'c> = HashMap<usize, Vec<(usize, OpRef<'c>)>>;

/// Marks every op of `body` that may write its result over an operand.
pub fn assign<'c>(rewriter: &mut Rewriter<'c>, body: &Body<'c>, rewrite: &'static Rewrite) {
    let mut uses: Uses<'c> = HashMap::new();
    for (i, op) in body.ops.iter().enumerate() {
        for v in op.operands().chain(rewriter.captures(*op)) {
            uses.entry(address(v)).or_default().push((i, *op));
        }
    }
    let donated = donated(body);
    for (i, op) in body.ops.iter().enumerate() {
        let mut pairs: Vec<i64> = vec![];
        for (result, operand) in candidates(rewriter, *op) {
            let Ok(v) = op.operand(operand) else { continue };
            let same_type = op
                .result(result)
                .is_ok_and(|r| Value::from(r).r#type() == v.r#type());
            if same_type && is_own(body, v, &donated) && is_last_use(&uses, v, i) {
                pairs.extend([result as i64, operand as i64]);
            }
        }
        if !pairs.is_empty() {
            rewriter.update(rewrite, *op, |op, rewriter| {
                rewriter.set_integers(op, ALIASES, &pairs);
                true
            });
        }
    }
}

fn address(v: ValueRef<'_>) -> usize {
    v.to_raw().ptr as usize
}

/// Pairs of result and operand such that the op writes the result over the operand, if it may.
fn candidates<'c>(rewriter: &Rewriter<'c>, op: OpRef<'c>) -> Vec<(usize, usize)> {
    let is_update =
        hlo::DynamicUpdateSliceOp::cast(op).is_some() || hlo::ScatterOp::cast(op).is_some();
    // A loop keeps each carried value in one buffer.
    if is_update || hlo::WhileOp::cast(op).is_some() {
        return (0..op.result_count()).map(|i| (i, i)).collect();
    }
    if hlo::FusionOp::cast(op).is_none() {
        return vec![];
    }
    let arguments = rewriter.block_arguments(op, 0);
    let returned = rewriter
        .region_ops(op)
        .first()
        .and_then(|ops| ops.last())
        .copied();
    let returned: Vec<ValueRef<'c>> = returned.map_or(vec![], |r| r.operands().collect());
    let buffer = |v: &ValueRef<'c>| {
        // A chain of updates ends at the argument whose buffer they all take.
        let mut v = *v;
        let mut is_updated = false;
        while let Some(update) = definition(v).and_then(hlo::DynamicUpdateSliceOp::cast) {
            v = update.operand();
            is_updated = true;
        }
        arguments
            .iter()
            .position(|a| *a == v)
            .filter(|_| is_updated)
    };
    returned
        .iter()
        .enumerate()
        .filter_map(|(i, v)| Some((i, buffer(v)?)))
        .collect()
}

/// Whether nothing but op number `i` of the block, once, uses `v` from there on, and no other name of it exists.
fn is_last_use(uses: &Uses<'_>, v: ValueRef<'_>, i: usize) -> bool {
    let all = uses.get(&address(v)).map_or(&[][..], |u| u);
    let own = all.iter().filter(|(at, _)| *at == i).count();
    let later = all.iter().any(|(at, _)| *at > i);
    let renamed = all.iter().any(|(at, op)| *at != i && is_not_own(*op));
    own == 1 && !later && !renamed
}

/// Whether the buffer of `v` may be written in this body.
fn is_own<'c>(body: &Body<'c>, v: ValueRef<'c>, donated: &[ValueRef<'c>]) -> bool {
    match definition(v) {
        Some(op) => body.ops.contains(&op) && !is_not_own(op),
        None => match body.owner {
            Owner::Function => donated.contains(&v),
            Owner::LoopBody => body.arguments.contains(&v),
            Owner::Condition | Owner::Branch => false,
        },
    }
}

fn is_not_own(op: OpRef<'_>) -> bool {
    let name = op.name();
    let name = name.as_string_ref();
    match name.as_str() {
        Ok(name) => name
            .strip_prefix("hlo.")
            .is_none_or(|name| NOT_OWN.contains(&name)),
        Err(_) => true,
    }
}

/// Parameters that the caller gives away.
fn donated<'c>(body: &Body<'c>) -> Vec<ValueRef<'c>> {
    let given = match body.owner {
        Owner::Function => mlir::decode::aliases(body.parent),
        Owner::LoopBody | Owner::Condition | Owner::Branch => vec![],
    };
    let parameter =
        |a: &tileproof_dialect::program::Alias| body.arguments.get(a.parameter as usize).copied();
    given.iter().filter_map(parameter).collect()
}
