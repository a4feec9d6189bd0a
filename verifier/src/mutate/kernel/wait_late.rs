//! `wait-late`: a wait stands behind what it should hold back.

use super::{
    Change, KernelMutator,
    draft::{Draft, holds, is_load, is_store},
};
use tileproof_dialect::tpu::{KernelOperation, MemorySpace, TpuOp};

pub const MUTATOR: KernelMutator = KernelMutator {
    name: "wait-late",
    summary: "moves a wait to the end of its region",
    faults: &["f72"],
    change: Change::Op(change),
};

fn is_access(op: &TpuOp) -> bool {
    is_load(op) || is_store(op) || matches!(op, TpuOp::EnqueueDma { .. })
}

/// Whether the op, or one in its regions, touches memory.
fn accesses(o: &KernelOperation) -> bool {
    is_access(&o.op) || o.regions.iter().any(|r| holds(r, is_access))
}

fn change(draft: &mut Draft, _: u64) -> Option<()> {
    if !matches!(draft.op().op, TpuOp::WaitDma2 | TpuOp::SemaphoreWait) {
        return None;
    }
    // What goes out is waited for before its buffer is filled again, and that is in a later step: the end of this one is early enough.
    let target = draft.op().operands.last().and_then(|v| draft.memref(*v));
    let goes_out = target.is_some_and(|m| matches!(m.space, MemorySpace::Any | MemorySpace::Hbm));
    if goes_out && matches!(draft.op().op, TpuOp::WaitDma2) {
        return None;
    }
    // A wait that stands alone in a branch moves with the branch.
    while !draft.following().iter().any(accesses) {
        let (outer, _) = *draft.around().first()?;
        if !matches!(outer.op, TpuOp::If) || accesses(outer) {
            return None;
        }
        draft.go_out()?;
    }
    if !draft.op().results.is_empty() {
        return None;
    }
    draft.move_to_end()
}
