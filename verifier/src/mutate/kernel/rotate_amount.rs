//! `rotate-amount`: a rotation is one element off.

use super::{Change, KernelMutator, draft::Draft};
use tileproof_dialect::tpu::TpuOp;

pub const MUTATOR: KernelMutator = KernelMutator {
    name: "rotate-amount",
    summary: "a rotation is one element off",
    faults: &["f41"],
    change: Change::Op(change),
};

fn change(draft: &mut Draft, seed: u64) -> Option<()> {
    let source = *draft.op().operands.first()?;
    let dims = draft.vector_dims(source)?.to_vec();
    match &mut draft.op_mut().op {
        TpuOp::Rotate { amount, dimension } => {
            let n = *dims.get(*dimension as usize)?;
            if n < 2 {
                return None;
            }
            let by = if seed & 1 == 0 { 1 } else { n - 1 };
            *amount = (*amount + by) % n;
            Some(())
        }
        TpuOp::DynamicRotate { .. } => {
            let amount = *draft.op().operands.get(1)?;
            let wrong = draft.shifted(amount, 1)?;
            draft.op_mut().operands[1] = wrong;
            Some(())
        }
        _ => None,
    }
}
