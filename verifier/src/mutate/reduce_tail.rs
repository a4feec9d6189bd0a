//! `reduce-tail`: a reduction leaves out the last element, as when the last partial tile is dropped.

use super::{Mutator, draft, look};
use tileproof_dialect::{
    hlo,
    op::Op,
    program::{OpId, Program},
};

pub const MUTATOR: Mutator = Mutator {
    name: "reduce-tail",
    summary: "leaves the last element out of a reduction",
    faults: &["f57"],
    mutate,
};

fn mutate(program: &Program, id: OpId, seed: u64) -> Option<Program> {
    let o = program.op(id);
    let Op::Hlo(hlo::Op::Reduce(op)) = &o.op else {
        return None;
    };
    let dims = look::dims(program, *o.operands.first()?)?;
    let at = *op
        .dimensions
        .get(seed as usize % op.dimensions.len().max(1))?;
    let at = usize::try_from(at).ok()?;
    let n = *dims.get(at)? as i64;
    if n < 2 {
        return None;
    }
    draft::replaced(program, id, |d| {
        let mut operands = d.operands()?;
        let half = operands.len() / 2;
        for input in &mut operands[..half] {
            *input = d.sliced(*input, at, 0, n - 1)?;
        }
        d.keep_on(&operands)
    })
}
