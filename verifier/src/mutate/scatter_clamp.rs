//! `scatter-clamp`: updates whose index is out of bounds are written to the nearest place, not dropped.

use super::{Mutator, draft, look};
use tileproof_dialect::{
    hlo::{self, clamp::Clamp},
    op::Op,
    program::{OpId, Program},
};

pub const MUTATOR: Mutator = Mutator {
    name: "scatter-clamp",
    summary: "clamps out-of-bounds indices of a scatter, which drops them",
    faults: &["f27"],
    mutate,
};

fn mutate(program: &Program, id: OpId, _: u64) -> Option<Program> {
    let o = program.op(id);
    let Op::Hlo(hlo::Op::Scatter(op)) = &o.op else {
        return None;
    };
    let n = o.operands.len() / 2;
    let operand = look::dims(program, *o.operands.first()?)?;
    let update = look::dims(program, *o.operands.get(n + 1)?)?;
    // Sizes of the update window by operand dimension: 1 where it is inserted.
    let mut window = op
        .update_window_dims
        .iter()
        .map(|d| update.get(*d as usize).copied());
    let mut last = vec![];
    for (d, size) in operand.iter().enumerate() {
        let d = d as i64;
        let inserted =
            op.inserted_window_dims.contains(&d) || op.input_batching_dims.contains(&d);
        let of_window = if inserted { 1 } else { window.next()?? };
        last.push(*size as i64 - of_window as i64);
    }
    let limits: Vec<i64> = op
        .scatter_dims_to_operand_dims
        .iter()
        .filter_map(|d| last.get(*d as usize).copied())
        .collect();
    // One bound for all components: only where they have the same.
    let limit = *limits.first()?;
    if limits.iter().any(|l| *l != limit) {
        return None;
    }
    draft::replaced(program, id, |d| {
        let mut operands = d.operands()?;
        let indices = *operands.get(n)?;
        let (low, high) = (d.integer_like(indices, 0)?, d.integer_like(indices, limit)?);
        operands[n] = d.make(Clamp, &[low, indices, high])?;
        d.keep_on(&operands)
    })
}
