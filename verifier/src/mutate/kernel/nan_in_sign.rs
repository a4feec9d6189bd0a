//! `nan-in-sign`: the sign of a float is found by comparing, which loses NaN and the sign of zero.

use super::{
    Change, KernelMutator,
    draft::{Draft, elementwise},
};
use tileproof_dialect::{
    hlo::{
        self,
        compare::{Compare, Direction},
        select::Select,
    },
    tpu::{KernelType, TpuOp},
    types::ElementType,
};

pub const MUTATOR: KernelMutator = KernelMutator {
    name: "nan-in-sign",
    summary: "computes the sign of floats by comparing with zero",
    faults: &["f92"],
    change: Change::Op(change),
};

fn change(draft: &mut Draft, _: u64) -> Option<()> {
    let o = draft.op();
    if !matches!(elementwise(&o.op)?, hlo::Op::Sign(_)) {
        return None;
    }
    let x = *o.operands.first()?;
    let dims = draft.vector_dims(x)?.to_vec();
    if !draft.is_float(x) {
        return None;
    }
    let ty = draft.ty(x).clone();
    let (zero, one, minus) = (
        draft.float(&ty, 0.0)?,
        draft.float(&ty, 1.0)?,
        draft.float(&ty, -1.0)?,
    );
    let mut compare = |comparison_direction| {
        let op = Compare {
            comparison_direction,
            compare_type: None,
        };
        let mask = KernelType::vector(&dims, ElementType::I1);
        draft.insert(TpuOp::Elementwise(op.into()), &[x, zero], mask)
    };
    let (below, above) = (compare(Direction::Lt), compare(Direction::Gt));
    let rest = draft.insert(TpuOp::Elementwise(Select.into()), &[below, minus, zero], ty);
    draft.become_elementwise(Select, &[above, one, rest])
}
