//! `accumulation-dropped`: a step forgets what the steps before it summed up.

use super::{
    Change, KernelMutator,
    draft::{Draft, elementwise, is_load},
};
use tileproof_dialect::{
    hlo,
    tpu::{CombiningKind, KernelValue, TpuOp},
};

pub const MUTATOR: KernelMutator = KernelMutator {
    name: "accumulation-dropped",
    summary: "forgets what was accumulated before, or what is to be added",
    faults: &["f61", "f90"],
    change: Change::Op(change),
};

fn change(draft: &mut Draft, seed: u64) -> Option<()> {
    let o = draft.op();
    match &o.op {
        TpuOp::Matmul { .. } => {
            let sum = *o.operands.get(2)?;
            if draft.splat(sum) == Some(0.0) {
                return None;
            }
            let ty = draft.ty(sum).clone();
            let zero = if draft.is_float(sum) {
                draft.float(&ty, 0.0)?
            } else {
                draft.int(&ty, 0)?
            };
            draft.op_mut().operands[2] = zero;
            Some(())
        }
        // With an accumulator: of a sum that goes on.
        TpuOp::MultiReduction {
            kind: CombiningKind::Add,
            ..
        } => {
            let sum = *o.operands.get(1)?;
            if draft.splat(sum).is_some() {
                return None;
            }
            let ty = draft.ty(sum).clone();
            let zero = if draft.is_float(sum) {
                draft.float(&ty, 0.0)?
            } else {
                draft.int(&ty, 0)?
            };
            draft.op_mut().operands[1] = zero;
            Some(())
        }
        op => {
            let combines = matches!(
                elementwise(op)?,
                hlo::Op::Add(_)
                    | hlo::Op::Multiply(_)
                    | hlo::Op::Maximum(_)
                    | hlo::Op::Minimum(_)
                    | hlo::Op::And(_)
                    | hlo::Op::Or(_)
                    | hlo::Op::Xor(_)
            );
            let [a, b] = o.operands[..] else {
                return None;
            };
            let loaded = |v: KernelValue| draft.definition(v).is_none_or(|d| is_load(&d.op));
            let accumulates = loaded(a) != loaded(b);
            if !combines || !accumulates || draft.vector_dims(a).is_none() {
                return None;
            }
            draft.replace_with(if seed & 1 == 0 { a } else { b })
        }
    }
}
