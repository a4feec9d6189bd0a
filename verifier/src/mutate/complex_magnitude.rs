//! `complex-magnitude`: the magnitude of a complex number is the root of the sum of squares, which overflows.

use super::{Mutator, draft, look};
use tileproof_dialect::{
    hlo::{add::Add, imag::Imag, multiply::Multiply, real::Real, sqrt::Sqrt},
    program::{OpId, Program},
};

pub const MUTATOR: Mutator = Mutator {
    name: "complex-magnitude",
    summary: "computes |a + bi| as sqrt(a * a + b * b)",
    faults: &["f102"],
    mutate,
};

fn mutate(program: &Program, id: OpId, _: u64) -> Option<Program> {
    let x = look::single(program, id, "abs")?;
    if !look::element(program, x)?.is_complex() {
        return None;
    }
    draft::replaced(program, id, |d| {
        let x = *d.operands()?.first()?;
        let (a, b) = (d.make(Real, &[x])?, d.make(Imag, &[x])?);
        let (a, b) = (d.make(Multiply, &[a, a])?, d.make(Multiply, &[b, b])?);
        let sum = d.make(Add, &[a, b])?;
        let result_accuracy = None;
        Some(vec![d.make(Sqrt { result_accuracy }, &[sum])?])
    })
}
