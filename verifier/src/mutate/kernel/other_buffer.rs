//! `other-buffer`: a load or store works on another buffer of the same type.

use super::{
    Change, KernelMutator,
    draft::{Draft, is_load, is_store},
};

pub const MUTATOR: KernelMutator = KernelMutator {
    name: "other-buffer",
    summary: "a load or store works on another buffer of the same type",
    faults: &[],
    change: Change::Op(change),
};

fn change(draft: &mut Draft, seed: u64) -> Option<()> {
    let o = draft.op();
    let place = match (is_load(&o.op), is_store(&o.op)) {
        (true, _) => 0,
        (false, true) => 1,
        (false, false) => return None,
    };
    let now = *o.operands.get(place)?;
    let others: Vec<_> = draft
        .visible()
        .into_iter()
        .filter(|v| *v != now && draft.ty(*v) == draft.ty(now))
        .collect();
    let other = *others.get(seed as usize % others.len().max(1))?;
    draft.op_mut().operands[place] = other;
    Some(())
}
