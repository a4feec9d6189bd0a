//! `mask-dropped`: what lies beyond the end of a block is used like the rest.

use super::{
    Change, KernelMutator,
    draft::{Draft, elementwise, is_position},
};
use tileproof_dialect::{
    hlo,
    tpu::{TpuOp, op::Mask},
};

pub const MUTATOR: KernelMutator = KernelMutator {
    name: "mask-dropped",
    summary: "leaves out a mask: padding is used, or written",
    faults: &["f71"],
    change: Change::Op(change),
};

fn change(draft: &mut Draft, _: u64) -> Option<()> {
    match &mut draft.op_mut().op {
        TpuOp::Load { masked, .. }
        | TpuOp::Store { masked, .. }
        | TpuOp::RegisterLoad { masked }
        | TpuOp::RegisterStore { masked }
            if *masked == Mask::Masked =>
        {
            *masked = Mask::Unmasked;
            draft.op_mut().operands.pop();
            return Some(());
        }
        _ => {}
    }
    let o = draft.op();
    if !matches!(elementwise(&o.op)?, hlo::Op::Select(_)) {
        return None;
    }
    let [mask, yes, no] = o.operands[..] else {
        return None;
    };
    let kept = match (draft.splat(yes), draft.splat(no)) {
        (None, Some(_)) => yes,
        (Some(_), None) => no,
        (_, _) => return None,
    };
    if draft.vector_dims(kept).is_none() || !draft.comes_from(mask, &is_position) {
        return None;
    }
    draft.replace_with(kept)
}
