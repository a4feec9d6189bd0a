//! `accumulate-in-bf16`: sums are kept in bf16 in place of f32.

use super::{
    Change, KernelMutator,
    draft::{Draft, elementwise},
};
use tileproof_dialect::{
    hlo::{self, convert::Convert},
    tpu::{CombiningKind, KernelType, KernelValue, TpuOp},
    types::ElementType,
};

pub const MUTATOR: KernelMutator = KernelMutator {
    name: "accumulate-in-bf16",
    summary: "rounds sums and products of f32 to bf16",
    faults: &["f82"],
    change: Change::Op(change),
};

fn change(draft: &mut Draft, _: u64) -> Option<()> {
    let o = draft.op();
    let sums = match &o.op {
        TpuOp::Matmul { .. } => true,
        TpuOp::MultiReduction { kind, .. } | TpuOp::AllReduce { kind, .. } => {
            matches!(kind, CombiningKind::Add | CombiningKind::Mul)
        }
        op => matches!(elementwise(op), Some(hlo::Op::Add(_))),
    };
    let result = *o.results.first()?;
    if !sums || draft.element(result)? != ElementType::F32 {
        return None;
    }
    // What is rounded to bf16 afterwards anyway is the same.
    if is_rounded(draft, result) {
        return None;
    }
    let dims = draft.vector_dims(result)?.to_vec();
    let narrow = KernelType::vector(&dims, ElementType::BF16);
    let wide = KernelType::vector(&dims, ElementType::F32);
    draft.wrap_result(
        0,
        vec![
            (Convert.into(), narrow, vec![]),
            (Convert.into(), wide, vec![]),
        ],
    )
}

/// Whether all that uses the value, moved perhaps, is a conversion to bf16.
fn is_rounded(draft: &Draft, v: KernelValue) -> bool {
    draft.users(v).iter().all(|o| {
        let result = o.results.first().copied();
        match &o.op {
            TpuOp::ShapeCast | TpuOp::Broadcast | TpuOp::Transpose { .. } => {
                result.is_some_and(|v| is_rounded(draft, v))
            }
            op => {
                let to = result.and_then(|v| draft.element(v));
                matches!(elementwise(op), Some(hlo::Op::Convert(_))) && to == Some(ElementType::BF16)
            }
        }
    })
}
