//! `buffer-parity`: a block, or its semaphore, is taken from the other one of two.

use super::{Change, KernelMutator, draft::Draft};
use tileproof_dialect::{
    hlo::subtract::Subtract,
    tpu::{KernelType, MemorySpace, TpuOp},
    types::Dim,
};

pub const MUTATOR: KernelMutator = KernelMutator {
    name: "buffer-parity",
    summary: "takes the other one of two buffers or semaphores",
    faults: &[],
    change: Change::Op(change),
};

fn change(draft: &mut Draft, _: u64) -> Option<()> {
    let o = draft.op();
    if !matches!(o.op, TpuOp::MemRefSlice { .. }) {
        return None;
    }
    let [whole, slot] = [*o.operands.first()?, *o.operands.get(1)?];
    let (all, one) = (draft.memref(whole)?, draft.memref(*o.results.first()?)?);
    let is_one_of_two = all.dims.first() == Some(&Dim::Static(2))
        && one.dims.first() == Some(&Dim::Static(1))
        && matches!(all.space, MemorySpace::Vmem | MemorySpace::SemaphoreMem);
    if !is_one_of_two {
        return None;
    }
    let ty = KernelType::i32();
    let first = draft.int(&ty, 1)?;
    let other = draft.insert(TpuOp::Elementwise(Subtract.into()), &[first, slot], ty);
    draft.op_mut().operands[1] = other;
    Some(())
}
