//! `store-dropped`: a result is never written.

use super::{
    Change, KernelMutator,
    draft::{Draft, is_store},
};
use tileproof_dialect::tpu::TpuOp;

pub const MUTATOR: KernelMutator = KernelMutator {
    name: "store-dropped",
    summary: "leaves out a store",
    faults: &[],
    change: Change::Op(change),
};

fn change(draft: &mut Draft, _: u64) -> Option<()> {
    let op = &draft.op().op;
    if !is_store(op) && !matches!(op, TpuOp::ScalarStore) {
        return None;
    }
    draft.remove();
    Some(())
}
