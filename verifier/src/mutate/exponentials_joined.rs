//! `exponentials-joined`: exp(a) * exp(b) becomes exp(a + b), exp(a) / exp(b) becomes exp(a - b); one factor may overflow.

use super::{Mutator, draft, look};
use tileproof_dialect::{
    hlo::{add::Add, exponential::Exponential, subtract::Subtract},
    program::{OpId, Program},
};

pub const MUTATOR: Mutator = Mutator {
    name: "exponentials-joined",
    summary: "exp(a) * exp(b) -> exp(a + b)",
    faults: &["f08"],
    mutate,
};

fn mutate(program: &Program, id: OpId, _: u64) -> Option<Program> {
    let [x, y] =
        look::pair(program, id, "multiply").or_else(|| look::pair(program, id, "divide"))?;
    let exponent = |v| look::operands_of(program, v, "exponential")?.first().copied();
    let (a, b) = (exponent(x)?, exponent(y)?);
    let is_product = look::name(program, id) == "multiply";
    draft::replaced(program, id, |d| {
        let both = [d.value(a)?, d.value(b)?];
        let sum = if is_product {
            d.make(Add, &both)?
        } else {
            d.make(Subtract, &both)?
        };
        let result_accuracy = None;
        Some(vec![d.make(Exponential { result_accuracy }, &[sum])?])
    })
}
