//! `negative-zero-lost`: zero is added to a float result, which makes +0 of -0.

use super::{Mutator, draft, look};
use tileproof_dialect::{
    hlo::add::Add,
    program::{OpId, Program},
};

pub const MUTATOR: Mutator = Mutator {
    name: "negative-zero-lost",
    summary: "makes +0 of every -0 of a result",
    faults: &["f13", "f14"],
    mutate,
};

/// Ops of which -0 is a result that is not rare. A sum is -0 only where all terms are.
const MAKES_NEGATIVE_ZERO: &[&str] = &[
    "negate",
    "multiply",
    "divide",
    "ceil",
    "round_nearest_afz",
    "round_nearest_even",
    "sign",
    "minimum",
];

fn mutate(program: &Program, id: OpId, _: u64) -> Option<Program> {
    let [result] = program.op(id).results[..] else {
        return None;
    };
    if !look::is_float(program, result) || !MAKES_NEGATIVE_ZERO.contains(&look::name(program, id)) {
        return None;
    }
    draft::replaced(program, id, |d| {
        let v = *d.keep()?.first()?;
        let zero = d.float_like(v, 0.0)?;
        Some(vec![d.make(Add, &[v, zero])?])
    })
}
