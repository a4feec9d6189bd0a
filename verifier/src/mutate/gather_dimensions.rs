//! `gather-dimensions`: the dimension numbers of a gather are permuted or moved by one.

use super::{Mutator, look, variants};
use tileproof_dialect::{
    hlo::{self, gather::Gather},
    op::Op,
    program::{OpId, Program},
};

pub const MUTATOR: Mutator = Mutator {
    name: "gather-dimensions",
    summary: "permutes or moves the dimension numbers of a gather",
    faults: &["f20"],
    mutate,
};

type List = fn(&mut Gather) -> &mut Vec<i64>;

const LISTS: [List; 4] = [
    |op| &mut op.start_index_map,
    |op| &mut op.offset_dims,
    |op| &mut op.collapsed_slice_dims,
    |op| &mut op.start_indices_batching_dims,
];

fn mutate(program: &Program, id: OpId, seed: u64) -> Option<Program> {
    let o = program.op(id);
    let Op::Hlo(hlo::Op::Gather(op)) = &o.op else {
        return None;
    };
    let indices = look::dims(program, *o.operands.get(1)?)?;
    let mut all = vec![];
    for list in LISTS {
        let mut wrong = op.clone();
        for dims in variants::dimensions(list(&mut wrong)) {
            *list(&mut wrong) = dims;
            all.push(wrong.clone());
        }
    }
    let size = |d: i64| usize::try_from(d).ok().and_then(|d| indices.get(d)).copied();
    for step in [1, -1] {
        let mut wrong = op.clone();
        wrong.index_vector_dim += step;
        // Between dimensions of size 1 it makes no difference.
        if size(wrong.index_vector_dim).unwrap_or(1) > 1
            || size(op.index_vector_dim).unwrap_or(1) > 1
        {
            all.push(wrong);
        }
    }
    variants::op(program, id, all, seed)
}
