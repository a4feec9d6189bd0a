//! `loop-carry-swapped`: two values that a loop or branch gives change places.

use super::{Change, KernelMutator, draft::Draft};
use tileproof_dialect::tpu::TpuOp;

pub const MUTATOR: KernelMutator = KernelMutator {
    name: "loop-carry-swapped",
    summary: "two values that a loop or branch gives change places",
    faults: &["f90"],
    change: Change::Op(change),
};

fn change(draft: &mut Draft, seed: u64) -> Option<()> {
    if !matches!(draft.op().op, TpuOp::Yield) {
        return None;
    }
    let all = draft.op().operands.clone();
    let mut pairs = vec![];
    for i in 0..all.len() {
        for j in i + 1..all.len() {
            if all[i] != all[j] && draft.ty(all[i]) == draft.ty(all[j]) {
                pairs.push((i, j));
            }
        }
    }
    let (i, j) = *pairs.get(seed as usize % pairs.len().max(1))?;
    draft.op_mut().operands.swap(i, j);
    Some(())
}
