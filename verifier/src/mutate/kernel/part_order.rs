//! `part-order`: parts are put together in another order.

use super::{Change, KernelMutator, draft::Draft};
use tileproof_dialect::tpu::TpuOp;

pub const MUTATOR: KernelMutator = KernelMutator {
    name: "part-order",
    summary: "two parts of a concatenation, packing or block of registers change places",
    faults: &["f53"],
    change: Change::Op(change),
};

fn change(draft: &mut Draft, seed: u64) -> Option<()> {
    let o = draft.op();
    // Registers of a block come in as operands, or out as results.
    let mut all = match &o.op {
        TpuOp::Concatenate { .. } | TpuOp::PackSubelements | TpuOp::RollVectors => {
            o.operands.clone()
        }
        TpuOp::UnrollVectors => o.results.clone(),
        _ => return None,
    };
    let n = all.len();
    if n < 2 {
        return None;
    }
    let i = seed as usize % n;
    let j = (i + 1 + (seed >> 16) as usize % (n - 1)) % n;
    if all[i] == all[j] || draft.ty(all[i]) != draft.ty(all[j]) {
        return None;
    }
    all.swap(i, j);
    let o = draft.op_mut();
    match o.op {
        TpuOp::UnrollVectors => o.results = all,
        _ => o.operands = all,
    }
    Some(())
}
