//! `loop-bounds`: a loop begins late or ends early by one step.

use super::{Change, KernelMutator, draft::Draft};
use tileproof_dialect::tpu::TpuOp;

pub const MUTATOR: KernelMutator = KernelMutator {
    name: "loop-bounds",
    summary: "a loop leaves out its first or its last step",
    faults: &["f57", "f61"],
    change: Change::Op(change),
};

fn change(draft: &mut Draft, seed: u64) -> Option<()> {
    if !matches!(draft.op().op, TpuOp::For) {
        return None;
    }
    let (place, by) = if seed & 1 == 0 { (1, -1) } else { (0, 1) };
    let bound = *draft.op().operands.get(place)?;
    let step = draft.known(*draft.op().operands.get(2)?)?;
    let wrong = draft.shifted(bound, by * step)?;
    draft.op_mut().operands[place] = wrong;
    Some(())
}
