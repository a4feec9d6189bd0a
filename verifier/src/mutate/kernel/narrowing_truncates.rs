//! `narrowing-truncates`: a conversion to bf16 cuts the low bits off; one to an integer rounds.

use super::{
    Change, KernelMutator,
    draft::{Draft, elementwise},
};
use tileproof_dialect::{
    hlo::{self, and::And, bitcast_convert::BitcastConvert, round_nearest_even::RoundNearestEven},
    tpu::{KernelType, TpuOp},
    types::{Class, ElementType},
};

pub const MUTATOR: KernelMutator = KernelMutator {
    name: "narrowing-truncates",
    summary: "cuts bits off where a conversion to bf16 rounds; rounds where one to an integer cuts",
    faults: &["f80"],
    change: Change::Op(change),
};

fn change(draft: &mut Draft, _: u64) -> Option<()> {
    let o = draft.op();
    if !matches!(elementwise(&o.op)?, hlo::Op::Convert(_)) {
        return None;
    }
    let [x, result] = [*o.operands.first()?, *o.results.first()?];
    if draft.element(x)? != ElementType::F32 {
        return None;
    }
    let ty = draft.ty(x).clone();
    let kept = match (draft.element(result)?, draft.class(result)?) {
        (ElementType::BF16, _) => {
            let bits = match &ty {
                KernelType::Vector { dims, .. } => KernelType::vector(dims, ElementType::I32),
                KernelType::Scalar(_) => KernelType::i32(),
                KernelType::Index | KernelType::MemRef(_) => return None,
            };
            let cast = || TpuOp::Elementwise(BitcastConvert.into());
            let pattern = draft.insert(cast(), &[x], bits.clone());
            let high = draft.int(&bits, -0x1_0000)?;
            let cut = draft.insert(TpuOp::Elementwise(And.into()), &[pattern, high], bits);
            draft.insert(cast(), &[cut], ty)
        }
        (_, Class::Signed | Class::Unsigned) => {
            draft.insert(TpuOp::Elementwise(RoundNearestEven.into()), &[x], ty)
        }
        (_, _) => return None,
    };
    draft.op_mut().operands[0] = kept;
    Some(())
}
