//! `scatter-combine`: a scatter that adds overwrites, one that overwrites adds.

use super::{Mutator, draft, look};
use tileproof_dialect::{
    hlo::{self, add::Add},
    op::Op,
    program::{OpId, Program},
};

pub const MUTATOR: Mutator = Mutator {
    name: "scatter-combine",
    summary: "overwrites where a scatter adds, adds where it overwrites",
    faults: &[],
    mutate,
};

fn mutate(program: &Program, id: OpId, _: u64) -> Option<Program> {
    let o = program.op(id);
    // One operand, the indices, one update.
    if look::name(program, id) != "scatter" || o.operands.len() != 3 {
        return None;
    }
    let Op::Hlo(hlo::Op::Scatter(scatter)) = &o.op else {
        return None;
    };
    // Into zeros, one update for each place, both are the same.
    let indices = look::dims(program, o.operands[1])?;
    let vector = scatter.index_vector_dim as usize;
    let batching = &scatter.scatter_indices_batching_dims;
    let one_each = indices
        .iter()
        .enumerate()
        .all(|(d, n)| *n == 1 || d == vector || batching.contains(&(d as i64)));
    let zero = look::splat(program, o.operands[0]).is_some_and(|z| z.to_f64s()[0] == 0.0);
    if one_each && zero {
        return None;
    }
    let region = *o.regions.first()?;
    let returned = *program.returned(region).first()?;
    let overwrites = program.region(region).arguments.get(1) == Some(&returned);
    draft::replaced(program, id, |d| {
        d.keep_with_body(|d, arguments| {
            let [old, update] = arguments[..] else {
                return None;
            };
            let value = if overwrites {
                d.make(Add, &[old, update])?
            } else {
                update
            };
            Some(vec![value])
        })
    })
}
