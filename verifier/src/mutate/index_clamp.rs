//! `index-clamp`: a start index is clamped one place too early.

use super::{Mutator, draft, look};
use tileproof_dialect::{
    hlo::{self, minimum::Minimum},
    op::Op,
    program::{OpId, Program},
};

pub const MUTATOR: Mutator = Mutator {
    name: "index-clamp",
    summary: "clamps the start of a gather, dynamic slice or update one place too early",
    faults: &["f03"],
    mutate,
};

fn mutate(program: &Program, id: OpId, seed: u64) -> Option<Program> {
    let o = program.op(id);
    let operand = look::dims(program, *o.operands.first()?)?;
    let last = |d: usize, size: i64| Some(*operand.get(d)? as i64 - size);
    // The operand that holds the index, and the last place it may name.
    let mut sites: Vec<(usize, i64)> = vec![];
    let Op::Hlo(op) = &o.op;
    if let hlo::Op::DynamicSlice(slice) = op {
        for (d, size) in slice.slice_sizes.iter().enumerate() {
            sites.push((d + 1, last(d, *size)?));
        }
    } else if op.name() == "dynamic_update_slice" {
        let update = look::dims(program, *o.operands.get(1)?)?;
        for (d, size) in update.iter().enumerate() {
            sites.push((d + 2, last(d, *size as i64)?));
        }
    } else if let hlo::Op::Gather(gather) = op {
        let mut all = vec![];
        for d in &gather.start_index_map {
            let d = usize::try_from(*d).ok()?;
            all.push(last(d, *gather.slice_sizes.get(d)?)?);
        }
        sites.push((1, *all.iter().min()?));
    }
    sites.retain(|(_, last)| *last >= 1);
    let (at, last) = *sites.get(seed as usize % sites.len().max(1))?;
    draft::replaced(program, id, |d| {
        let mut operands = d.operands()?;
        let index = *operands.get(at)?;
        let limit = d.integer_like(index, last - 1)?;
        operands[at] = d.make(Minimum, &[index, limit])?;
        d.keep_on(&operands)
    })
}
