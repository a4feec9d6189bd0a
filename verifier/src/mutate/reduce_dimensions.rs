//! `reduce-dimensions`: a reduction runs along another dimension of the same size.

use super::{Mutator, look, variants};
use tileproof_dialect::{
    hlo::{self, reduce::Reduce},
    op::Op,
    program::{OpId, Program},
};

pub const MUTATOR: Mutator = Mutator {
    name: "reduce-dimensions",
    summary: "reduces another dimension of the same size",
    faults: &[],
    mutate,
};

fn mutate(program: &Program, id: OpId, seed: u64) -> Option<Program> {
    let o = program.op(id);
    let Op::Hlo(hlo::Op::Reduce(op)) = &o.op else {
        return None;
    };
    let dims = look::dims(program, *o.operands.first()?)?;
    let size = |d: i64| usize::try_from(d).ok().and_then(|d| dims.get(d));
    let mut all = vec![];
    for (i, d) in op.dimensions.iter().enumerate() {
        for other in 0..dims.len() as i64 {
            // Along a dimension of size 1 there is nothing to reduce.
            let same = size(other) == size(*d) && size(*d).is_some_and(|n| *n > 1);
            if same && !op.dimensions.contains(&other) {
                let mut dimensions = op.dimensions.clone();
                dimensions[i] = other;
                dimensions.sort_unstable();
                all.push(Reduce { dimensions });
            }
        }
    }
    variants::op(program, id, all, seed)
}
