//! `compare-direction`: a comparison includes equality where it excludes it, or the other way round, or points the other way.

use super::{Mutator, variants};
use tileproof_dialect::{
    hlo::{self, compare::Compare, compare::Direction},
    op::Op,
    program::{OpId, Program},
};

pub const MUTATOR: Mutator = Mutator {
    name: "compare-direction",
    summary: "exchanges < and <=, == and !=, or turns a comparison round",
    faults: &["f13", "f88"],
    mutate,
};

fn mutate(program: &Program, id: OpId, seed: u64) -> Option<Program> {
    let Op::Hlo(hlo::Op::Compare(op)) = &program.op(id).op else {
        return None;
    };
    let wrong: &[Direction] = match op.comparison_direction {
        Direction::Eq => &[Direction::Ne],
        Direction::Ne => &[Direction::Eq],
        Direction::Ge => &[Direction::Gt, Direction::Le],
        Direction::Gt => &[Direction::Ge, Direction::Lt],
        Direction::Le => &[Direction::Lt, Direction::Ge],
        Direction::Lt => &[Direction::Le, Direction::Gt],
    };
    let all = wrong.iter().map(|direction| Compare {
        comparison_direction: *direction,
        ..op.clone()
    });
    variants::op(program, id, all.collect(), seed)
}
