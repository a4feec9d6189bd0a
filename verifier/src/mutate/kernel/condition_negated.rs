//! `condition-negated`: a branch is taken where it should not be.

use super::{Change, KernelMutator, draft::Draft};
use tileproof_dialect::{
    hlo::not::Not,
    tpu::{KernelType, TpuOp},
    types::ElementType,
};

pub const MUTATOR: KernelMutator = KernelMutator {
    name: "condition-negated",
    summary: "a branch is taken where its condition does not hold",
    faults: &[],
    change: Change::Op(change),
};

fn change(draft: &mut Draft, _: u64) -> Option<()> {
    if !matches!(draft.op().op, TpuOp::If) {
        return None;
    }
    let condition = *draft.op().operands.first()?;
    let ty = KernelType::Scalar(ElementType::I1);
    let negated = draft.insert(TpuOp::Elementwise(Not.into()), &[condition], ty);
    draft.op_mut().operands[0] = negated;
    Some(())
}
