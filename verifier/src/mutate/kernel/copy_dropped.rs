//! `copy-dropped`: a copy is never started.

use super::{Change, KernelMutator, draft::Draft};
use tileproof_dialect::tpu::TpuOp;

pub const MUTATOR: KernelMutator = KernelMutator {
    name: "copy-dropped",
    summary: "a copy is never started",
    faults: &[],
    change: Change::Op(change),
};

fn change(draft: &mut Draft, _: u64) -> Option<()> {
    if !matches!(draft.op().op, TpuOp::EnqueueDma { .. }) {
        return None;
    }
    draft.remove();
    Some(())
}
