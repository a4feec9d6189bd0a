//! `reciprocal`: a / b becomes a * (1 / b), which rounds twice.

use super::{Mutator, draft, look};
use tileproof_dialect::{
    hlo::{divide::Divide, multiply::Multiply},
    program::{OpId, Program},
};

pub const MUTATOR: Mutator = Mutator {
    name: "reciprocal",
    summary: "a / b -> a * (1 / b)",
    faults: &["f35"],
    mutate,
};

fn mutate(program: &Program, id: OpId, _: u64) -> Option<Program> {
    let [a, _] = look::pair(program, id, "divide")?;
    let is_one =
        look::splat(program, a).is_some_and(|one| one.to_f64s().first() == Some(&1.0));
    if !look::is_float(program, a) || is_one {
        return None;
    }
    draft::replaced(program, id, |d| {
        let [a, b] = d.operands()?[..] else {
            return None;
        };
        let one = d.float_like(b, 1.0)?;
        let inverse = d.make(Divide, &[one, b])?;
        Some(vec![d.make(Multiply, &[a, inverse])?])
    })
}
