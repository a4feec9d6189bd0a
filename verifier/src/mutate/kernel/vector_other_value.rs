//! `vector-other-value`: an op on vectors takes another value of the same type.

use super::{Change, KernelMutator, draft::Draft};

pub const MUTATOR: KernelMutator = KernelMutator {
    name: "vector-other-value",
    summary: "an op takes another vector of the same type",
    faults: &[],
    change: Change::Op(change),
};

fn change(draft: &mut Draft, seed: u64) -> Option<()> {
    let operands = draft.op().operands.clone();
    let vectors: Vec<usize> = (0..operands.len())
        .filter(|i| draft.vector_dims(operands[*i]).is_some())
        .collect();
    let place = *vectors.get(seed as usize % vectors.len().max(1))?;
    let now = operands[place];
    let others: Vec<_> = draft
        .visible()
        .into_iter()
        .filter(|v| *v != now && draft.ty(*v) == draft.ty(now))
        .collect();
    let other = *others.get((seed >> 8) as usize % others.len().max(1))?;
    draft.op_mut().operands[place] = other;
    Some(())
}
