//! `in-place-alias`: a buffer is updated in place though its old content is read later: later uses of the operand see the update.

use super::{Mutator, look};
use tileproof_dialect::program::{OpId, Program};

pub const MUTATOR: Mutator = Mutator {
    name: "in-place-alias",
    summary: "updates a buffer in place that is read later",
    faults: &["f18", "f40", "f68"],
    mutate,
};

fn mutate(program: &Program, id: OpId, _: u64) -> Option<Program> {
    if !["dynamic_update_slice", "scatter"].contains(&look::name(program, id)) {
        return None;
    }
    let o = program.op(id);
    let (old, new) = (*o.operands.first()?, *o.results.first()?);
    if program.ty(old) != program.ty(new) {
        return None;
    }
    let region = program.region(program.region_of(id)?);
    let later: Vec<OpId> = region
        .ops
        .iter()
        .skip_while(|other| **other != id)
        .skip(1)
        .copied()
        .filter(|user| program.op(*user).operands.contains(&old))
        .collect();
    if later.is_empty() {
        return None;
    }
    later
        .into_iter()
        .try_fold(program.clone(), |changed, user| {
            changed
                .modified(user, |o| {
                    o.operands
                        .iter_mut()
                        .filter(|v| **v == old)
                        .for_each(|v| *v = new)
                })
                .ok()
        })
}
