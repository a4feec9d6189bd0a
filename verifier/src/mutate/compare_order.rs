//! `compare-order`: floats are compared in the total order in place of IEEE's, or the other way round.

use super::{Mutator, look, variants};
use tileproof_dialect::{
    hlo::{self, compare::Compare, compare::CompareType},
    op::Op,
    program::{OpId, Program},
};

pub const MUTATOR: Mutator = Mutator {
    name: "compare-order",
    summary: "exchanges the total order of floats and IEEE's",
    faults: &["f86"],
    mutate,
};

fn mutate(program: &Program, id: OpId, seed: u64) -> Option<Program> {
    let o = program.op(id);
    let Op::Hlo(hlo::Op::Compare(op)) = &o.op else {
        return None;
    };
    if !look::is_float(program, *o.operands.first()?) {
        return None;
    }
    let other = match op.compare_type {
        Some(CompareType::TotalOrder) => CompareType::Float,
        None | Some(CompareType::Float) => CompareType::TotalOrder,
        Some(CompareType::Signed | CompareType::Unsigned) => return None,
    };
    let wrong = Compare {
        compare_type: Some(other),
        ..op.clone()
    };
    variants::op(program, id, vec![wrong], seed)
}
