//! `hlo-simplify`: local rewrites to fewer or cheaper ops, all keeping every bit.
//!
//! # Before
//! `%1 = hlo.negate %0` where `%0 = hlo.negate %x`.
//! # After
//! uses of `%1` are uses of `%x`.
//! # Numerics
//! BitExact, each rewrite (NaN payloads may change).
//! # Example
//! `tests/passes/hlo-simplify/`.
//! # Leaves alone
//! Whatever would change a bit: `x*0`, float `x+0`, `exp(a)*exp(b)`, `log(exp(x))`.

mod arithmetic;

use crate::{
    pass::{Pass, Rewrite},
    rewrite::Rewriter,
};
use tileproof_dialect::{error::Error, stage::Stage};

pub static PASS: Pass = Pass {
    name: "hlo-simplify",
    input: Stage::S0,
    output: Stage::S1,
    summary: "local rewrites to fewer or cheaper ops, all keeping every bit",
    rewrites: REWRITES,
    run,
};

/// THE list of rewrites, in the order they are tried.
const REWRITES: &[Rewrite] = &[arithmetic::NEGATE_NEGATE];

fn run(rewriter: &mut Rewriter<'_>) -> Result<(), Error> {
    rewriter.apply_patterns()
}
