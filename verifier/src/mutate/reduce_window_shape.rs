//! `reduce-window-shape`: windows are moved, made larger or dilated otherwise; their number stays.

use super::{Mutator, look, variants};
use tileproof_dialect::{
    hlo,
    op::Op,
    program::{OpId, Program},
};

pub const MUTATOR: Mutator = Mutator {
    name: "reduce-window-shape",
    summary: "moves, enlarges or dilates the windows of a reduction",
    faults: &["f62", "f90"],
    mutate,
};

fn mutate(program: &Program, id: OpId, seed: u64) -> Option<Program> {
    let o = program.op(id);
    let Op::Hlo(hlo::Op::ReduceWindow(op)) = &o.op else {
        return None;
    };
    let dims = look::dims(program, *o.operands.first()?)?;
    let mut all = vec![];
    for d in 0..op.window_dimensions.len() {
        let n = (*dims.get(d)? as i64 - 1).max(0);
        for step in [1, -1] {
            let mut moved = op.clone();
            moved.padding[2 * d] += step;
            moved.padding[2 * d + 1] -= step;
            all.push(moved);
            let mut larger = op.clone();
            larger.window_dimensions[d] += step;
            larger.padding[2 * d + 1] += step * op.window_dilations[d];
            all.push(larger);
            let mut dilated = op.clone();
            dilated.window_dilations[d] += step;
            dilated.padding[2 * d + 1] += step * (op.window_dimensions[d] - 1);
            all.push(dilated);
            let mut base = op.clone();
            base.base_dilations[d] += step;
            base.padding[2 * d + 1] -= step * n;
            all.push(base);
        }
    }
    variants::op(program, id, all, seed)
}
