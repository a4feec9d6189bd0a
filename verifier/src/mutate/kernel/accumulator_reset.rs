//! `accumulator-reset`: what should happen at the first step happens at every step.

use super::{
    Change, KernelMutator,
    draft::{Draft, holds, is_load, is_store},
};
use tileproof_dialect::{
    tpu::{KernelRegion, KernelType, TpuOp, kernel::walk},
    types::ElementType,
};

pub const MUTATOR: KernelMutator = KernelMutator {
    name: "accumulator-reset",
    summary: "initialises an accumulator at every step",
    faults: &["f61"],
    change: Change::Op(change),
};

fn change(draft: &mut Draft, _: u64) -> Option<()> {
    // Of a buffer that is read: storing a sum that is overwritten later is no fault.
    let accumulates = draft.op().regions.iter().any(|r| is_read_back(draft, r));
    if !accumulates {
        return None;
    }
    always(draft, 1)
}

/// Whether the region stores to a buffer that the kernel loads from outside of it.
fn is_read_back(draft: &Draft, region: &KernelRegion) -> bool {
    let mut stored = vec![];
    walk(region, &mut |o| {
        if is_store(&o.op)
            && let Some(reference) = o.operands.get(1)
        {
            stored.extend(draft.buffer_of(*reference));
        }
    });
    let mut inside = vec![];
    walk(region, &mut |o| inside.push(std::ptr::from_ref(o)));
    let mut found = false;
    draft.kernel.walk(&mut |o| {
        if is_load(&o.op)
            && !inside.contains(&std::ptr::from_ref(o))
            && let Some(reference) = o.operands.first()
        {
            found |= draft
                .buffer_of(*reference)
                .is_some_and(|b| stored.contains(&b));
        }
    });
    found
}

/// The condition of a branch that stores becomes `value`.
pub fn always(draft: &mut Draft, value: i64) -> Option<()> {
    let o = draft.op();
    let stores = matches!(o.op, TpuOp::If) && o.regions.iter().any(|r| holds(r, is_store));
    if !stores {
        return None;
    }
    let constant = draft.int(&KernelType::Scalar(ElementType::I1), value)?;
    draft.op_mut().operands[0] = constant;
    Some(())
}
