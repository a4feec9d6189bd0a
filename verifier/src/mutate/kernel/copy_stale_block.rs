//! `copy-stale-block`: a copy moves the block before the one that is due.

use super::{Change, KernelMutator, draft::Draft};
use tileproof_dialect::{
    hlo::maximum::Maximum,
    tpu::{KernelType, MemorySpace, TpuOp},
    types::Dim,
};

pub const MUTATOR: KernelMutator = KernelMutator {
    name: "copy-stale-block",
    summary: "a part of a buffer in HBM begins one block earlier",
    faults: &[],
    change: Change::Op(change),
};

fn change(draft: &mut Draft, seed: u64) -> Option<()> {
    let o = draft.op();
    if !matches!(o.op, TpuOp::MemRefSlice { .. }) {
        return None;
    }
    let part = draft.memref(*o.results.first()?)?.clone();
    if !matches!(part.space, MemorySpace::Any | MemorySpace::Hbm) {
        return None;
    }
    // A wait looks at sizes alone.
    let copies = draft.reaches(
        *o.results.first()?,
        &|op| matches!(op, TpuOp::EnqueueDma { .. }),
        &|op| matches!(op, TpuOp::MemRefSlice { .. } | TpuOp::MemRefSqueeze),
    );
    if !copies {
        return None;
    }
    let moving: Vec<usize> = (0..part.dims.len())
        .filter(|d| {
            o.operands
                .get(1 + d)
                .is_some_and(|v| draft.known(*v).is_none())
        })
        .collect();
    let d = *moving.get(seed as usize % moving.len().max(1))?;
    let offset = draft.op().operands[1 + d];
    let block = match part.dims[d] {
        Dim::Static(n) => n,
        Dim::Dynamic { bound } => bound?,
    };
    let earlier = draft.shifted(offset, -(block as i64))?;
    let ty = KernelType::i32();
    let zero = draft.int(&ty, 0)?;
    let start = draft.insert(TpuOp::Elementwise(Maximum.into()), &[earlier, zero], ty);
    draft.op_mut().operands[1 + d] = start;
    Some(())
}
