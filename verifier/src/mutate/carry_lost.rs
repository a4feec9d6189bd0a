//! `carry-lost`: an integer is added in two halves, and the carry of the low half is lost.

use super::{Mutator, draft, look};
use tileproof_dialect::{
    hlo::{add::Add, and::And, or::Or},
    program::{OpId, Program},
    types::Class,
};

pub const MUTATOR: Mutator = Mutator {
    name: "carry-lost",
    summary: "adds integers in two halves without carry",
    faults: &["f104", "f105"],
    mutate,
};

fn mutate(program: &Program, id: OpId, _: u64) -> Option<Program> {
    let [x, _] = look::pair(program, id, "add")?;
    let element = look::element(program, x)?;
    // Signed 32-bit integers are indices and counters, which stay below a carry.
    let wide = element.class() == Class::Unsigned || element.bits() == 64;
    if !matches!(element.class(), Class::Signed | Class::Unsigned) || !wide || element.bits() < 8 {
        return None;
    }
    let low = (1i64 << (element.bits() / 2)) - 1;
    draft::replaced(program, id, |d| {
        let [x, y] = d.operands()?[..] else {
            return None;
        };
        let (low_mask, high_mask) = (d.integer_like(x, low)?, d.integer_like(x, !low)?);
        let sum = d.make(Add, &[x, y])?;
        let low = d.make(And, &[sum, low_mask])?;
        let (high_x, high_y) = (d.make(And, &[x, high_mask])?, d.make(And, &[y, high_mask])?);
        let high = d.make(Add, &[high_x, high_y])?;
        Some(vec![d.make(Or, &[high, low])?])
    })
}
