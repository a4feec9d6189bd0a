//! `wait-dropped`: nothing waits for a copy or signal.

use super::{Change, KernelMutator, draft::Draft};
use tileproof_dialect::tpu::TpuOp;

pub const MUTATOR: KernelMutator = KernelMutator {
    name: "wait-dropped",
    summary: "leaves out a wait for a copy or a signal",
    faults: &["f72"],
    change: Change::Op(change),
};

fn change(draft: &mut Draft, _: u64) -> Option<()> {
    if !matches!(draft.op().op, TpuOp::WaitDma2 | TpuOp::SemaphoreWait) {
        return None;
    }
    draft.remove();
    Some(())
}
