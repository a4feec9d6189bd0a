//! `applied-twice`: an op is applied to its own result once more, as when a producer with an in-place write is duplicated.

use super::{Mutator, draft, look};
use tileproof_dialect::program::{OpId, Program};

pub const MUTATOR: Mutator = Mutator {
    name: "applied-twice",
    summary: "applies an op to its own result once more",
    faults: &["f45"],
    mutate,
};

/// Applied twice these are not what they are applied once.
const CANDIDATES: &[&str] = &[
    "add",
    "subtract",
    "multiply",
    "divide",
    "scatter",
    "tanh",
    "exponential",
    "negate",
    "sqrt",
    "rsqrt",
    "shift_left",
    "shift_right_logical",
    "xor",
    "reverse",
];

fn mutate(program: &Program, id: OpId, _: u64) -> Option<Program> {
    let o = program.op(id);
    let (first, [result]) = (*o.operands.first()?, &o.results[..]) else {
        return None;
    };
    if !CANDIDATES.contains(&look::name(program, id)) || program.ty(first) != program.ty(*result) {
        return None;
    }
    draft::replaced(program, id, |d| {
        let mut operands = d.operands()?;
        operands[0] = *d.keep()?.first()?;
        d.keep_on(&operands)
    })
}
