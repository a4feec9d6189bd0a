//! `quotients-joined`: (a / b) / c becomes a / (b * c).

use super::{Mutator, draft, look};
use tileproof_dialect::{
    hlo::{divide::Divide, multiply::Multiply},
    program::{OpId, Program},
};

pub const MUTATOR: Mutator = Mutator {
    name: "quotients-joined",
    summary: "(a / b) / c -> a / (b * c)",
    faults: &["f35"],
    mutate,
};

fn mutate(program: &Program, id: OpId, _: u64) -> Option<Program> {
    let [quotient, c] = look::pair(program, id, "divide")?;
    let [a, b] = look::operands_of(program, quotient, "divide")? else {
        return None;
    };
    if !look::is_float(program, c) {
        return None;
    }
    draft::replaced(program, id, |d| {
        let product = d.make(Multiply, &[d.value(*b)?, d.value(c)?])?;
        Some(vec![d.make(Divide, &[d.value(*a)?, product])?])
    })
}
