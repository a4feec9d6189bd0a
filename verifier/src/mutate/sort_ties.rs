//! `sort-ties`: equal keys come out in the opposite order, as from a sort that is not stable.

use super::{Mutator, draft};
use tileproof_dialect::{
    hlo::{self, reverse::Reverse},
    op::Op,
    program::{OpId, Program},
};

pub const MUTATOR: Mutator = Mutator {
    name: "sort-ties",
    summary: "gives equal keys in the opposite order",
    faults: &["f87", "f88"],
    mutate,
};

fn mutate(program: &Program, id: OpId, _: u64) -> Option<Program> {
    let o = program.op(id);
    let Op::Hlo(hlo::Op::Sort(sort)) = &o.op else {
        return None;
    };
    let rank = program.ty(*o.operands.first()?).as_tensor()?.rank() as i64;
    let dimension = sort.dimension + if sort.dimension < 0 { rank } else { 0 };
    draft::replaced(program, id, |d| {
        let mut operands = d.operands()?;
        for input in &mut operands {
            let dimensions = vec![dimension];
            *input = d.make(Reverse { dimensions }, &[*input])?;
        }
        d.keep_on(&operands)
    })
}
