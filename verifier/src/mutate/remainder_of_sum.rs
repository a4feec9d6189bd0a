//! `remainder-of-sum`: (x + y) mod m becomes x mod m + y, which leaves the range when the sum crosses a multiple of m.

use super::{Mutator, draft, look};
use tileproof_dialect::{
    hlo::{add::Add, remainder::Remainder},
    program::{OpId, Program},
};

pub const MUTATOR: Mutator = Mutator {
    name: "remainder-of-sum",
    summary: "(x + y) mod m -> x mod m + y",
    faults: &["f32"],
    mutate,
};

fn mutate(program: &Program, id: OpId, _: u64) -> Option<Program> {
    let [sum, m] = look::pair(program, id, "remainder")?;
    let [x, y] = look::operands_of(program, sum, "add")? else {
        return None;
    };
    draft::replaced(program, id, |d| {
        let rest = d.make(Remainder, &[d.value(*x)?, d.value(m)?])?;
        Some(vec![d.make(Add, &[rest, d.value(*y)?])?])
    })
}
