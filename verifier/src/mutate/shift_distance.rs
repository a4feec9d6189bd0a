//! `shift-distance`: a shift goes one bit further, as when a generator of random numbers takes its next rotation.

use super::{Mutator, draft, look};
use tileproof_dialect::{
    hlo::add::Add,
    program::{OpId, Program},
};

pub const MUTATOR: Mutator = Mutator {
    name: "shift-distance",
    summary: "shifts one bit further",
    faults: &["f103"],
    mutate,
};

fn mutate(program: &Program, id: OpId, _: u64) -> Option<Program> {
    let shifts = [
        "shift_left",
        "shift_right_logical",
        "shift_right_arithmetic",
    ];
    if !shifts.contains(&look::name(program, id)) {
        return None;
    }
    draft::replaced(program, id, |d| {
        let [x, distance] = d.operands()?[..] else {
            return None;
        };
        let one = d.integer_like(distance, 1)?;
        let distance = d.make(Add, &[distance, one])?;
        d.keep_on(&[x, distance])
    })
}
