//! `iota-axis`: positions are counted along another dimension: lanes in place of sublanes.

use super::{Change, KernelMutator, draft::Draft};
use tileproof_dialect::tpu::TpuOp;

pub const MUTATOR: KernelMutator = KernelMutator {
    name: "iota-axis",
    summary: "counts positions along another dimension",
    faults: &["f50"],
    change: Change::Op(change),
};

fn change(draft: &mut Draft, seed: u64) -> Option<()> {
    let result = *draft.op().results.first()?;
    let rank = draft.vector_dims(result)?.len() as u64;
    let TpuOp::Iota { dimensions } = &mut draft.op_mut().op else {
        return None;
    };
    if rank < 2 {
        return None;
    }
    let d = dimensions.first_mut()?;
    let other = (*d + 1 + seed % (rank - 1)) % rank;
    *d = other;
    if dimensions[1..].contains(&other) {
        return None;
    }
    Some(())
}
