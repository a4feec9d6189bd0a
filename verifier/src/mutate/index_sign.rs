//! `index-sign`: unsigned indices are read as signed ones before they are clamped.

use super::{Mutator, draft, look};
use tileproof_dialect::{
    program::{OpId, Program},
    types::ElementType,
};

pub const MUTATOR: Mutator = Mutator {
    name: "index-sign",
    summary: "reads unsigned indices as signed",
    faults: &["f05"],
    mutate,
};

fn mutate(program: &Program, id: OpId, _: u64) -> Option<Program> {
    let operands = program.op(id).operands.len();
    let indices = match look::name(program, id) {
        "dynamic_slice" => 1..operands,
        "dynamic_update_slice" => 2..operands,
        "gather" => 1..2,
        "scatter" => operands / 2..operands / 2 + 1,
        _ => return None,
    };
    let first = *program.op(id).operands.get(indices.start)?;
    let signed = match look::element(program, first)? {
        ElementType::U8 => ElementType::I8,
        ElementType::U16 => ElementType::I16,
        ElementType::U32 => ElementType::I32,
        ElementType::U64 => ElementType::I64,
        _ => return None,
    };
    draft::replaced(program, id, |d| {
        let mut operands = d.operands()?;
        for index in operands.get_mut(indices)? {
            *index = d.bits_as(*index, signed.clone())?;
        }
        d.keep_on(&operands)
    })
}
