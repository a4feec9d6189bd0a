//! `square-root-of-square`: sqrt(x * x) becomes |x|, which neither overflows nor underflows.

use super::{Mutator, draft, look};
use tileproof_dialect::{
    hlo::abs::Abs,
    program::{OpId, Program},
};

pub const MUTATOR: Mutator = Mutator {
    name: "square-root-of-square",
    summary: "sqrt(x * x) -> |x|",
    faults: &["f07"],
    mutate,
};

fn mutate(program: &Program, id: OpId, _: u64) -> Option<Program> {
    let square = look::single(program, id, "sqrt")?;
    let x = match look::operands_of(program, square, "multiply") {
        Some([x, y]) if x == y => *x,
        Some(_) => return None,
        None => *look::operands_of(program, square, "square")?.first()?,
    };
    draft::replaced(program, id, |d| Some(vec![d.make(Abs, &[d.value(x)?])?]))
}
