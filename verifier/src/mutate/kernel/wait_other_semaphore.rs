//! `wait-other-semaphore`: a wait, or a copy, counts on the semaphore of something else.

use super::{Change, KernelMutator, draft::Draft};
use tileproof_dialect::tpu::{MemorySpace, TpuOp};

pub const MUTATOR: KernelMutator = KernelMutator {
    name: "wait-other-semaphore",
    summary: "a wait or copy counts on another semaphore of the kernel",
    faults: &[],
    change: Change::Op(change),
};

fn change(draft: &mut Draft, seed: u64) -> Option<()> {
    let place = match draft.op().op {
        TpuOp::WaitDma2 | TpuOp::SemaphoreWait | TpuOp::SemaphoreSignal => 0,
        TpuOp::EnqueueDma { .. } => draft.op().operands.len().checked_sub(1)?,
        _ => return None,
    };
    let now = *draft.op().operands.get(place)?;
    let others: Vec<_> = draft
        .visible()
        .into_iter()
        .filter(|v| *v != now && draft.ty(*v) == draft.ty(now))
        .filter(|v| draft.space(*v) == Some(MemorySpace::SemaphoreMem))
        .collect();
    let other = *others.get(seed as usize % others.len().max(1))?;
    draft.op_mut().operands[place] = other;
    Some(())
}
