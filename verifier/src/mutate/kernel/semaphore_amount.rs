//! `semaphore-amount`: a signal or a wait counts one too many or too few.

use super::{Change, KernelMutator, draft::Draft};
use tileproof_dialect::tpu::TpuOp;

pub const MUTATOR: KernelMutator = KernelMutator {
    name: "semaphore-amount",
    summary: "a signal or a wait counts one more or less",
    faults: &[],
    change: Change::Op(change),
};

fn change(draft: &mut Draft, seed: u64) -> Option<()> {
    if !matches!(draft.op().op, TpuOp::SemaphoreSignal | TpuOp::SemaphoreWait) {
        return None;
    }
    let amount = *draft.op().operands.get(1)?;
    let wrong = draft.shifted(amount, if seed & 1 == 0 { 1 } else { -1 })?;
    draft.op_mut().operands[1] = wrong;
    Some(())
}
