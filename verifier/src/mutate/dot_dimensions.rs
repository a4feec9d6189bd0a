//! `dot-dimensions`: a contraction pairs other dimensions of the same sizes.

use super::{Mutator, variants};
use tileproof_dialect::{
    hlo::{self, dot_general::DotGeneral},
    op::Op,
    program::{OpId, Program},
};

pub const MUTATOR: Mutator = Mutator {
    name: "dot-dimensions",
    summary: "contracts or batches other dimensions of the same sizes",
    faults: &["f22", "f52"],
    mutate,
};

type List = fn(&mut DotGeneral) -> &mut Vec<i64>;

const LISTS: [List; 4] = [
    |op| &mut op.lhs_contracting_dimensions,
    |op| &mut op.rhs_contracting_dimensions,
    |op| &mut op.lhs_batching_dimensions,
    |op| &mut op.rhs_batching_dimensions,
];

fn mutate(program: &Program, id: OpId, seed: u64) -> Option<Program> {
    let Op::Hlo(hlo::Op::DotGeneral(op)) = &program.op(id).op else {
        return None;
    };
    let mut all = vec![];
    for list in LISTS {
        let mut wrong = op.clone();
        for dims in variants::dimensions(list(&mut wrong)) {
            *list(&mut wrong) = dims;
            all.push(wrong.clone());
        }
    }
    // A contracting and a batching dimension of one side change places.
    for (contracting, batching) in [(LISTS[0], LISTS[2]), (LISTS[1], LISTS[3])] {
        let mut wrong = op.clone();
        if let (Some(c), Some(b)) = (
            contracting(&mut wrong).first().copied(),
            batching(&mut wrong).first().copied(),
        ) {
            contracting(&mut wrong)[0] = b;
            batching(&mut wrong)[0] = c;
            all.push(wrong);
        }
    }
    variants::op(program, id, all, seed)
}
