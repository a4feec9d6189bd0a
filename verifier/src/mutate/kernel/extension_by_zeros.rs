//! `extension-by-zeros`: narrow signed integers are widened as if they had no sign.

use super::{
    Change, KernelMutator,
    draft::{Draft, elementwise},
};
use tileproof_dialect::{
    hlo::{self, and::And, convert::Convert},
    tpu::{KernelType, TpuOp},
    types::{Class, ElementType},
};

pub const MUTATOR: KernelMutator = KernelMutator {
    name: "extension-by-zeros",
    summary: "widens narrow signed integers, also those of a matrix product, without their sign",
    faults: &["f84"],
    change: Change::Op(change),
};

fn change(draft: &mut Draft, seed: u64) -> Option<()> {
    let o = draft.op();
    let place = match &o.op {
        TpuOp::Matmul { .. } => seed as usize % 2,
        op if matches!(elementwise(op)?, hlo::Op::Convert(_)) => 0,
        _ => return None,
    };
    let x = *o.operands.get(place)?;
    let narrow = draft.element(x)?;
    if narrow.class() != Class::Signed || narrow.bits() >= 32 {
        return None;
    }
    let result = *o.results.first()?;
    let to = draft.element(result)?;
    if to.bits() <= narrow.bits() {
        return None;
    }
    let dims = draft.vector_dims(x)?.to_vec();
    let wide = KernelType::vector(&dims, ElementType::I32);
    let extended = draft.insert(TpuOp::Elementwise(Convert.into()), &[x], wide.clone());
    let mask = draft.int(&wide, (1 << narrow.bits()) - 1)?;
    let bits = draft.insert(TpuOp::Elementwise(And.into()), &[extended, mask], wide);
    draft.op_mut().operands[place] = bits;
    // A matrix product takes two factors of one type.
    if matches!(draft.op().op, TpuOp::Matmul { .. }) {
        let other = draft.op().operands[1 - place];
        let wide = KernelType::vector(draft.vector_dims(other)?, ElementType::I32);
        let other = draft.insert(TpuOp::Elementwise(Convert.into()), &[other], wide);
        draft.op_mut().operands[1 - place] = other;
    }
    Some(())
}
