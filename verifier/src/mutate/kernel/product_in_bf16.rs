//! `product-in-bf16`: factors of a matrix product are rounded to bf16 though it is one of f32.

use super::{Change, KernelMutator, draft::Draft};
use tileproof_dialect::{
    hlo::convert::Convert,
    tpu::{KernelType, TpuOp},
    types::ElementType,
};

pub const MUTATOR: KernelMutator = KernelMutator {
    name: "product-in-bf16",
    summary: "rounds a factor of a matrix product of f32 to bf16",
    faults: &["f83"],
    change: Change::Op(change),
};

fn change(draft: &mut Draft, seed: u64) -> Option<()> {
    if !matches!(draft.op().op, TpuOp::Matmul { .. }) {
        return None;
    }
    let place = seed as usize % 2;
    let factor = draft.op().operands[place];
    if draft.element(factor)? != ElementType::F32 {
        return None;
    }
    let dims = draft.vector_dims(factor)?.to_vec();
    let convert = || TpuOp::Elementwise(Convert.into());
    let narrow = draft.insert(
        convert(),
        &[factor],
        KernelType::vector(&dims, ElementType::BF16),
    );
    let rounded = draft.insert(
        convert(),
        &[narrow],
        KernelType::vector(&dims, ElementType::F32),
    );
    draft.op_mut().operands[place] = rounded;
    Some(())
}
