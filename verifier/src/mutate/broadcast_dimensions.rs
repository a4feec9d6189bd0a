//! `broadcast-dimensions`: a dimension of the operand goes to another dimension of the result.

use super::{Mutator, variants};
use tileproof_dialect::{
    hlo::{self, broadcast_in_dim::BroadcastInDim},
    op::Op,
    program::{OpId, Program},
};

pub const MUTATOR: Mutator = Mutator {
    name: "broadcast-dimensions",
    summary: "broadcasts along another dimension",
    faults: &["f23", "f50"],
    mutate,
};

fn mutate(program: &Program, id: OpId, seed: u64) -> Option<Program> {
    let Op::Hlo(hlo::Op::BroadcastInDim(op)) = &program.op(id).op else {
        return None;
    };
    let all = variants::dimensions(&op.broadcast_dimensions)
        .into_iter()
        .map(|broadcast_dimensions| BroadcastInDim {
            broadcast_dimensions,
        });
    variants::op(program, id, all.collect(), seed)
}
