//! `padding-value`: padding is filled with a number that changes the result of a reduction: 0 for a maximum or a product, 1 for a sum.

use super::{
    Change, KernelMutator,
    draft::{Draft, elementwise, is_position},
};
use tileproof_dialect::{hlo, tpu::TpuOp, types::Class};

pub const MUTATOR: KernelMutator = KernelMutator {
    name: "padding-value",
    summary: "fills padding with another number than the identity of its reduction",
    faults: &["f71"],
    change: Change::Op(change),
};

fn change(draft: &mut Draft, _: u64) -> Option<()> {
    let o = draft.op();
    if !matches!(elementwise(&o.op)?, hlo::Op::Select(_)) {
        return None;
    }
    let [mask, yes, no] = o.operands[..] else {
        return None;
    };
    let place = match (draft.splat(yes), draft.splat(no)) {
        (None, Some(_)) => 2,
        (Some(_), None) => 1,
        (_, _) => return None,
    };
    let identity = draft.op().operands[place];
    draft.vector_dims(identity)?;
    if !draft.comes_from(mask, &is_position) {
        return None;
    }
    let ty = draft.ty(identity).clone();
    let wrong = if draft.splat(identity)? == 0.0 { 1 } else { 0 };
    // A product has 0 in the padding of its other factor too: 1 times 0 is as good as 0.
    let is_factor = draft.reaches(
        *draft.op().results.first()?,
        &|op| matches!(op, TpuOp::Matmul { .. }),
        &|op| matches!(op, TpuOp::RollVectors | TpuOp::ShapeCast),
    );
    let wrong = match draft.class(identity)? {
        Class::Float if is_factor => draft.float(&ty, f64::INFINITY)?,
        Class::Float => draft.float(&ty, f64::from(wrong))?,
        Class::Signed | Class::Unsigned | Class::Boolean => draft.int(&ty, wrong.into())?,
        Class::Complex | Class::Quantized => return None,
    };
    draft.op_mut().operands[place] = wrong;
    Some(())
}
