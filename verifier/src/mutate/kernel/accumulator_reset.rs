//! `accumulator-reset`: what should happen at the first or last step happens at every step.

use super::{
    Change, KernelMutator,
    draft::{Draft, holds, is_store},
};
use tileproof_dialect::{tpu::KernelType, tpu::TpuOp, types::ElementType};

pub const MUTATOR: KernelMutator = KernelMutator {
    name: "accumulator-reset",
    summary: "initialises an accumulator, or ends a sum, at every step",
    faults: &["f61"],
    change: Change::Op(change),
};

fn change(draft: &mut Draft, _: u64) -> Option<()> {
    always(draft, 1)
}

/// The condition of a branch that stores becomes `value`.
pub fn always(draft: &mut Draft, value: i64) -> Option<()> {
    let o = draft.op();
    let stores = matches!(o.op, TpuOp::If) && o.regions.iter().any(|r| holds(r, is_store));
    if !stores {
        return None;
    }
    let constant = draft.int(&KernelType::Scalar(ElementType::I1), value)?;
    draft.op_mut().operands[0] = constant;
    Some(())
}
