//! `loop-carry-stale`: a value that a loop carries keeps what it was.

use super::{Change, KernelMutator, draft::Draft};
use tileproof_dialect::tpu::TpuOp;

pub const MUTATOR: KernelMutator = KernelMutator {
    name: "loop-carry-stale",
    summary: "a value that a loop carries keeps what it was at its start",
    faults: &["f90"],
    change: Change::Op(change),
};

fn change(draft: &mut Draft, seed: u64) -> Option<()> {
    if !matches!(draft.op().op, TpuOp::Yield) {
        return None;
    }
    let (outer, region) = *draft.around().first()?;
    let first = match (&outer.op, region) {
        // The induction variable comes first.
        (TpuOp::For, _) => 1,
        (TpuOp::While, 1) => 0,
        (_, _) => return None,
    };
    let n = draft.op().operands.len();
    let i = seed as usize % n.max(1);
    let now = *draft.op().operands.get(i)?;
    let was = *draft.region().arguments.get(first + i)?;
    if now == was || draft.ty(now) != draft.ty(was) {
        return None;
    }
    draft.op_mut().operands[i] = was;
    Some(())
}
