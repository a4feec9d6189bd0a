//! `hlo-cse`: computes equal values once.
//!
//! # Before
//! `%1 = hlo.add %a, %b` and later `%2 = hlo.add %a, %b`.
//! # After
//! `%1 = hlo.add %a, %b`; uses of `%2` are uses of `%1`.
//! # Numerics
//! BitExact: the same op on the same operands gives the same bits.
//! # Example
//! `tests/passes/hlo-cse/`.
//! # Leaves alone
//! Ops with effects or randomness, ops with regions, ops in sibling regions (a value is reused where it dominates).

use crate::{
    pass::{Pass, Rewrite, Run},
    rewrite::{OpRef, Rewriter, ValueRef},
};
use melior::ir::{Value, ValueLike, operation::OperationLike};
use std::collections::HashMap;
use tileproof_dialect::{
    error::Error, hlo, numerics::Numerics, op::Kind, stage::Stage, types::Type,
};

pub static PASS: Pass = Pass {
    name: "hlo-cse",
    input: Stage::S0,
    output: Stage::S1,
    summary: "computes equal values once",
    rewrites: REWRITES,
    run: Run::Rewrite(run),
};

const REWRITES: &[Rewrite] = &[Rewrite {
    name: "merge",
    equation: "y = f(x); z = f(x)  ->  y = f(x); z = y",
    numerics: Numerics::bit_exact,
    pattern: None,
}];

/// What makes two ops equal: op with attributes, operands, result types.
type Key = (hlo::Op, Vec<usize>, Vec<Type>);

fn run(rewriter: &mut Rewriter<'_>) -> Result<(), Error> {
    for function in rewriter.functions() {
        visit(rewriter, function, &HashMap::new());
    }
    Ok(())
}

/// Merges inside the regions of `op`; `outer` holds the values that dominate them.
fn visit<'c>(rewriter: &mut Rewriter<'c>, op: OpRef<'c>, outer: &HashMap<Key, OpRef<'c>>) {
    for region in rewriter.region_ops(op) {
        let mut seen = outer.clone();
        for inner in region {
            if inner.region_count() > 0 {
                visit(rewriter, inner, &seen);
                continue;
            }
            let Some(key) = key(rewriter, inner) else {
                continue;
            };
            match seen.get(&key) {
                Some(first) => {
                    let first = *first;
                    rewriter.apply(&REWRITES[0], inner, |_, rewriter| {
                        rewriter.keep_instead(first);
                        Some(first.results().map(Value::from).collect())
                    });
                }
                None => {
                    seen.insert(key, inner);
                }
            }
        }
    }
}

fn key<'c>(rewriter: &Rewriter<'c>, op: OpRef<'c>) -> Option<Key> {
    let typed = rewriter.read(op)?;
    match typed.kind() {
        Kind::Arithmetic | Kind::Movement | Kind::Selection | Kind::Opaque | Kind::Integer => {}
        Kind::Control | Kind::Effect => return None,
    }
    if typed.name() == "rng" {
        return None;
    }
    let operands: Vec<ValueRef<'c>> = op.operands().collect();
    let types = op
        .results()
        .map(|r| rewriter.ty(Value::from(r)))
        .collect::<Option<Vec<_>>>()?;
    Some((
        typed,
        operands.iter().map(|v| v.to_raw().ptr as usize).collect(),
        types,
    ))
}
