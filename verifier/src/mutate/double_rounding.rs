//! `double-rounding`: a conversion rounds to a type between first.

use super::{Mutator, draft, look};
use tileproof_dialect::{
    program::{OpId, Program},
    types::ElementType,
};

pub const MUTATOR: Mutator = Mutator {
    name: "double-rounding",
    summary: "converts through a type between, rounding twice",
    faults: &["f37"],
    mutate,
};

fn mutate(program: &Program, id: OpId, _: u64) -> Option<Program> {
    let x = look::single(program, id, "convert")?;
    let from = look::element(program, x)?;
    let to = look::element(program, *program.op(id).results.first()?)?;
    let between = match (from, to) {
        (ElementType::F64, ElementType::F16 | ElementType::BF16) => ElementType::F32,
        (
            ElementType::I32 | ElementType::U32 | ElementType::I64 | ElementType::U64,
            ElementType::F16 | ElementType::BF16,
        ) => ElementType::F32,
        (ElementType::I64 | ElementType::U64, ElementType::F32) => ElementType::F64,
        (ElementType::F64 | ElementType::F32, to) if to.is_float() && to.bits() <= 8 => {
            ElementType::F16
        }
        _ => return None,
    };
    draft::replaced(program, id, |d| {
        let x = d.converted(*d.operands()?.first()?, between)?;
        d.keep_on(&[x])
    })
}
