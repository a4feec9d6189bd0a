//! `part-offset`: a part of a vector is taken from, or put, one element off.

use super::{Change, KernelMutator, draft::Draft};
use tileproof_dialect::tpu::TpuOp;

pub const MUTATOR: KernelMutator = KernelMutator {
    name: "part-offset",
    summary: "a part of a vector begins one element off",
    faults: &["f53"],
    change: Change::Op(change),
};

fn change(draft: &mut Draft, seed: u64) -> Option<()> {
    let o = draft.op();
    // Sizes of the part and of the whole.
    let (part, whole) = match &o.op {
        TpuOp::ExtractStridedSlice { sizes, .. } => {
            (sizes.clone(), draft.vector_dims(*o.operands.first()?)?)
        }
        TpuOp::InsertStridedSlice { .. } => {
            let part = draft.vector_dims(*o.operands.first()?)?;
            let whole = draft.vector_dims(*o.operands.get(1)?)?;
            let lead = whole.len() - part.len();
            let mut sizes = vec![1; lead];
            sizes.extend(part);
            (sizes, whole)
        }
        TpuOp::Extract { position } => (
            vec![1; position.len()],
            draft.vector_dims(*o.operands.first()?)?,
        ),
        _ => return None,
    };
    let whole = whole.to_vec();
    let (TpuOp::ExtractStridedSlice { offsets, .. }
    | TpuOp::InsertStridedSlice { offsets }
    | TpuOp::Extract { position: offsets }) = &mut draft.op_mut().op
    else {
        return None;
    };
    let ways: Vec<(usize, i64)> = (0..offsets.len())
        .flat_map(|d| [(d, 1), (d, -1)])
        .filter(|(d, by)| {
            let at = offsets[*d] as i64 + by;
            at >= 0 && at as u64 + part.get(*d).copied().unwrap_or(1) <= whole[*d]
        })
        .collect();
    let (d, by) = *ways.get(seed as usize % ways.len().max(1))?;
    offsets[d] = offsets[d].wrapping_add_signed(by);
    Some(())
}
