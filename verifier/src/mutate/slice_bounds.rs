//! `slice-bounds`: a slice starts one later or earlier, or takes another stride, and keeps its size.

use super::{Mutator, variants};
use tileproof_dialect::{
    hlo,
    op::Op,
    program::{OpId, Program},
};

pub const MUTATOR: Mutator = Mutator {
    name: "slice-bounds",
    summary: "moves a slice by one, or changes its stride",
    faults: &["f39", "f53"],
    mutate,
};

fn mutate(program: &Program, id: OpId, seed: u64) -> Option<Program> {
    let Op::Hlo(hlo::Op::Slice(slice)) = &program.op(id).op else {
        return None;
    };
    let mut all = vec![];
    for d in 0..slice.start_indices.len() {
        for step in [1, -1] {
            let mut moved = slice.clone();
            moved.start_indices[d] += step;
            moved.limit_indices[d] += step;
            all.push(moved);
            let mut strided = slice.clone();
            let (start, limit) = (slice.start_indices[d], slice.limit_indices[d]);
            let steps = (limit - start - 1).max(0) / slice.strides[d].max(1);
            strided.strides[d] += step;
            strided.limit_indices[d] = start + steps * strided.strides[d] + 1;
            all.push(strided);
        }
    }
    variants::op(program, id, all, seed)
}
