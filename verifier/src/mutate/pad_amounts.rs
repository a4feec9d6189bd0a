//! `pad-amounts`: padding moves from one edge to the other, or between edge and interior; the size stays.

use super::{Mutator, look, variants};
use tileproof_dialect::{
    hlo,
    op::Op,
    program::{OpId, Program},
};

pub const MUTATOR: Mutator = Mutator {
    name: "pad-amounts",
    summary: "moves padding between the low edge, the high edge and the interior",
    faults: &["f49"],
    mutate,
};

fn mutate(program: &Program, id: OpId, seed: u64) -> Option<Program> {
    let o = program.op(id);
    let Op::Hlo(hlo::Op::Pad(pad)) = &o.op else {
        return None;
    };
    let dims = look::dims(program, *o.operands.first()?)?;
    let mut all = vec![];
    for d in 0..pad.edge_padding_low.len() {
        for step in [1, -1] {
            let mut moved = pad.clone();
            moved.edge_padding_low[d] += step;
            moved.edge_padding_high[d] -= step;
            all.push(moved);
            let mut spread = pad.clone();
            spread.interior_padding[d] += step;
            spread.edge_padding_high[d] -= step * (dims.get(d).copied()? as i64 - 1).max(0);
            all.push(spread);
        }
        let mut swapped = pad.clone();
        std::mem::swap(
            &mut swapped.edge_padding_low[d],
            &mut swapped.edge_padding_high[d],
        );
        all.push(swapped);
    }
    variants::op(program, id, all, seed)
}
