//! `copy-whole-block`: the last block of a buffer that no block divides is copied in its whole size.

use super::{
    Change, KernelMutator,
    draft::{Draft, elementwise},
};
use tileproof_dialect::{hlo, tpu::TpuOp};

pub const MUTATOR: KernelMutator = KernelMutator {
    name: "copy-whole-block",
    summary: "copies a whole block where less is left",
    faults: &["f76"],
    change: Change::Op(change),
};

/// The size that is left is the smaller of two, one of them the block's; that one is taken always.
fn change(draft: &mut Draft, _: u64) -> Option<()> {
    let o = draft.op();
    if !matches!(elementwise(&o.op)?, hlo::Op::Minimum(_)) {
        return None;
    }
    let result = *o.results.first()?;
    let sizes = draft.users(result);
    let is_size = |u: &&tileproof_dialect::tpu::KernelOperation| match &u.op {
        TpuOp::MemRefSlice { sizes } => u
            .operands
            .iter()
            .position(|v| *v == result)
            .is_some_and(|i| i > sizes.len()),
        _ => false,
    };
    if !sizes.iter().any(is_size) {
        return None;
    }
    let block = o
        .operands
        .iter()
        .copied()
        .find(|v| draft.known(*v).is_some())?;
    draft.replace_with(block)
}
