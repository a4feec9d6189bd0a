//! `sort-direction`: a comparator of a sort points the other way.

use super::{Mutator, look, variants};
use tileproof_dialect::{
    hlo::{self, compare::Compare, compare::Direction},
    op::Op,
    program::{OpId, Program},
};

pub const MUTATOR: Mutator = Mutator {
    name: "sort-direction",
    summary: "sorts the other way round",
    faults: &[],
    mutate,
};

fn mutate(program: &Program, id: OpId, seed: u64) -> Option<Program> {
    let Op::Hlo(hlo::Op::Compare(op)) = &program.op(id).op else {
        return None;
    };
    let (parent, _) = look::parent(program, id)?;
    if look::name(program, parent) != "sort" {
        return None;
    }
    let direction = match op.comparison_direction {
        Direction::Gt => Direction::Lt,
        Direction::Lt => Direction::Gt,
        Direction::Ge => Direction::Le,
        Direction::Le => Direction::Ge,
        Direction::Eq | Direction::Ne => return None,
    };
    let wrong = Compare {
        comparison_direction: direction,
        ..op.clone()
    };
    variants::op(program, id, vec![wrong], seed)
}
