//! `zero-extension`: signed integers are widened as if they were unsigned, or the other way round.

use super::{Mutator, draft, look};
use tileproof_dialect::{
    program::{OpId, Program},
    types::ElementType,
};

pub const MUTATOR: Mutator = Mutator {
    name: "zero-extension",
    summary: "widens signed integers as unsigned ones, unsigned ones as signed",
    faults: &["f05", "f84"],
    mutate,
};

fn mutate(program: &Program, id: OpId, _: u64) -> Option<Program> {
    let x = look::single(program, id, "convert")?;
    let from = look::element(program, x)?;
    let to = look::element(program, *program.op(id).results.first()?)?;
    let other = match from {
        ElementType::I8 => ElementType::U8,
        ElementType::I16 => ElementType::U16,
        ElementType::I32 => ElementType::U32,
        ElementType::I64 => ElementType::U64,
        ElementType::U8 => ElementType::I8,
        ElementType::U16 => ElementType::I16,
        ElementType::U32 => ElementType::I32,
        ElementType::U64 => ElementType::I64,
        _ => return None,
    };
    // Conversions to integers that are not wider keep the low bits either way.
    if to.is_integer() && to.bits() <= other.bits() {
        return None;
    }
    draft::replaced(program, id, |d| {
        let x = d.bits_as(*d.operands()?.first()?, other)?;
        d.keep_on(&[x])
    })
}
