//! `hlo-dce`: erases ops whose results nobody uses.
//!
//! # Before
//! `%1 = hlo.add %a, %b` without uses.
//! # After
//! nothing.
//! # Numerics
//! BitExact: no value that is used changes.
//! # Example
//! `tests/passes/hlo-dce/`.
//! # Leaves alone
//! Ops with effects, ops whose regions have effects, loops (a loop may not end), calls, terminators.

use crate::{
    pass::{Pass, Rewrite, Run},
    rewrite::{OpRef, Rewriter, users},
};
use melior::ir::{Value, operation::OperationLike};
use tileproof_dialect::{error::Error, numerics::Numerics, op::Kind, stage::Stage};

pub static PASS: Pass = Pass {
    name: "hlo-dce",
    input: Stage::S0,
    output: Stage::S1,
    summary: "erases ops whose results nobody uses",
    rewrites: REWRITES,
    run: Run::Rewrite(run),
};

const REWRITES: &[Rewrite] = &[Rewrite {
    name: "erase",
    equation: "an unused value is not computed",
    numerics: Numerics::bit_exact,
    pattern: None,
}];

fn run(rewriter: &mut Rewriter<'_>) -> Result<(), Error> {
    // Users before definitions: what an erased op used may be unused in turn.
    for op in rewriter.ops().into_iter().rev() {
        if rewriter.is_alive(op) && is_unused(op) && is_removable(rewriter, op) {
            rewriter.apply(&REWRITES[0], op, |_, _| Some(vec![]));
        }
    }
    Ok(())
}

fn is_unused(op: OpRef<'_>) -> bool {
    op.result_count() > 0 && op.results().all(|r| users(Value::from(r)).is_empty())
}

fn is_removable(rewriter: &Rewriter<'_>, op: OpRef<'_>) -> bool {
    let free = |op: OpRef<'_>| {
        rewriter.read(op).is_some_and(|o| {
            matches!(
                o.kind(),
                Kind::Arithmetic | Kind::Movement | Kind::Selection | Kind::Opaque | Kind::Integer
            )
        })
    };
    let inner = rewriter.ops_inside(op);
    match rewriter.read(op) {
        Some(o)
            if o.name() == "reduce" || o.kind() != Kind::Control && o.kind() != Kind::Effect =>
        {
            inner
                .iter()
                .all(|i| free(*i) || i.next_in_block().is_none())
        }
        Some(_) | None => false,
    }
}
