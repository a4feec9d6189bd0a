//! `trip-count`: a loop runs one time more or less.

use super::{Mutator, draft, look};
use tileproof_dialect::{
    hlo::{add::Add, subtract::Subtract},
    program::{OpId, Program},
    types::Class,
};

pub const MUTATOR: Mutator = Mutator {
    name: "trip-count",
    summary: "runs a loop one time more or less",
    faults: &[],
    mutate,
};

fn mutate(program: &Program, id: OpId, seed: u64) -> Option<Program> {
    let [_, bound] = look::pair(program, id, "compare")?;
    let (parent, region) = look::parent(program, id)?;
    if look::name(program, parent) != "while" || region != 0 {
        return None;
    }
    match look::element(program, bound)?.class() {
        Class::Signed | Class::Unsigned => {}
        Class::Boolean | Class::Float | Class::Complex | Class::Quantized => return None,
    }
    draft::replaced(program, id, |d| {
        let [counter, bound] = d.operands()?[..] else {
            return None;
        };
        let one = d.integer_like(bound, 1)?;
        let bound = if seed.is_multiple_of(2) {
            d.make(Subtract, &[bound, one])?
        } else {
            d.make(Add, &[bound, one])?
        };
        d.keep_on(&[counter, bound])
    })
}
