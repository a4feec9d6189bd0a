//! `log-of-power`: log(a ^ b) becomes b * log |a|, log(exp(x)) becomes x.

use super::{Mutator, draft, look};
use tileproof_dialect::{
    hlo::{abs::Abs, log::Log, multiply::Multiply},
    program::{OpId, Program},
};

pub const MUTATOR: Mutator = Mutator {
    name: "log-of-power",
    summary: "log(a ^ b) -> b * log |a|, log(exp(x)) -> x",
    faults: &["f09"],
    mutate,
};

fn mutate(program: &Program, id: OpId, _: u64) -> Option<Program> {
    let x = look::single(program, id, "log")?;
    if let Some([exponent]) = look::operands_of(program, x, "exponential") {
        return draft::replaced(program, id, |d| Some(vec![d.value(*exponent)?]));
    }
    let [a, b] = look::operands_of(program, x, "power")? else {
        return None;
    };
    draft::replaced(program, id, |d| {
        let magnitude = d.make(Abs, &[d.value(*a)?])?;
        let result_accuracy = None;
        let log = d.make(Log { result_accuracy }, &[magnitude])?;
        Some(vec![d.make(Multiply, &[d.value(*b)?, log])?])
    })
}
