//! `store-index`: a store begins one element off.

use super::{
    Change, KernelMutator,
    draft::{Draft, is_store},
};
use tileproof_dialect::tpu::TpuOp;

pub const MUTATOR: KernelMutator = KernelMutator {
    name: "store-index",
    summary: "a store begins one element off in one dimension",
    faults: &[],
    change: Change::Op(change),
};

fn change(draft: &mut Draft, seed: u64) -> Option<()> {
    let o = draft.op();
    if !is_store(&o.op) && !matches!(o.op, TpuOp::ScalarStore) {
        return None;
    }
    let rank = draft.memref(*o.operands.get(1)?)?.dims.len();
    let at = 2 + (seed >> 1) as usize % rank.max(1);
    let index = *o.operands.get(at).filter(|_| rank > 0)?;
    let back = seed & 1 == 1 && draft.known(index) != Some(0);
    let wrong = draft.shifted(index, if back { -1 } else { 1 })?;
    draft.op_mut().operands[at] = wrong;
    Some(())
}
