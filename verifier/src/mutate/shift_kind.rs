//! `shift-kind`: an arithmetic shift becomes a logical one, or the other way round.

use super::{Mutator, look, variants};
use tileproof_dialect::{
    hlo,
    program::{OpId, Program},
    types::Class,
};

pub const MUTATOR: Mutator = Mutator {
    name: "shift-kind",
    summary: "exchanges arithmetic and logical shifts to the right",
    faults: &["f84"],
    mutate,
};

fn mutate(program: &Program, id: OpId, seed: u64) -> Option<Program> {
    let wrong: hlo::Op = match look::name(program, id) {
        "shift_right_arithmetic" => hlo::shift_right_logical::ShiftRightLogical.into(),
        "shift_right_logical" => hlo::shift_right_arithmetic::ShiftRightArithmetic.into(),
        _ => return None,
    };
    let element = look::element(program, *program.op(id).operands.first()?)?;
    matches!(element.class(), Class::Signed | Class::Unsigned)
        .then(|| variants::op(program, id, vec![wrong], seed))?
}
