//! `write-back-skipped`: one of the reasons to copy, or to wait, is forgotten: that the index changes, or that it is the last step.

use super::{
    Change, KernelMutator,
    draft::{Draft, elementwise, holds},
};
use tileproof_dialect::{
    hlo,
    tpu::{KernelOperation, TpuOp},
};

pub const MUTATOR: KernelMutator = KernelMutator {
    name: "write-back-skipped",
    summary: "a copy or wait is skipped for one of the reasons to do it",
    faults: &["f72"],
    change: Change::Op(change),
};

fn change(draft: &mut Draft, seed: u64) -> Option<()> {
    let o = draft.op();
    if !matches!(elementwise(&o.op)?, hlo::Op::Or(_) | hlo::Op::And(_)) {
        return None;
    }
    let result = *o.results.first()?;
    let copies = |op: &TpuOp| matches!(op, TpuOp::EnqueueDma { .. } | TpuOp::WaitDma2);
    let guards = |u: &&KernelOperation| {
        matches!(u.op, TpuOp::If) && u.regions.iter().any(|r| holds(r, copies))
    };
    if !draft.users(result).iter().any(guards) {
        return None;
    }
    let reason = *o.operands.get(seed as usize % o.operands.len().max(1))?;
    draft.replace_with(reason)
}
