//! `accumulation-doubled`: a step is added twice.

use super::{
    Change, KernelMutator,
    draft::{Draft, elementwise},
};
use tileproof_dialect::{hlo, tpu::TpuOp};

pub const MUTATOR: KernelMutator = KernelMutator {
    name: "accumulation-doubled",
    summary: "adds a step of a sum twice",
    faults: &["f45"],
    change: Change::Op(change),
};

fn change(draft: &mut Draft, seed: u64) -> Option<()> {
    let o = draft.op();
    let result = *o.results.first()?;
    draft.vector_dims(result)?;
    let (place, op) = match &o.op {
        TpuOp::Matmul { .. } => (2, o.op.clone()),
        op => {
            let sums = matches!(elementwise(op)?, hlo::Op::Add(_) | hlo::Op::Multiply(_));
            if !sums {
                return None;
            }
            (seed as usize % 2, o.op.clone())
        }
    };
    let operands = o.operands.clone();
    let ty = draft.ty(result).clone();
    if draft.ty(*operands.get(place)?) != &ty {
        return None;
    }
    let once = draft.insert(op, &operands, ty);
    draft.op_mut().operands[place] = once;
    Some(())
}
