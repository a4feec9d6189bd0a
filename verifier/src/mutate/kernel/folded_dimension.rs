//! `folded-dimension`: a reduction, copy or gather runs along another dimension of the same size.

use super::{Change, KernelMutator, draft::Draft};
use tileproof_dialect::tpu::TpuOp;

pub const MUTATOR: KernelMutator = KernelMutator {
    name: "folded-dimension",
    summary: "a reduction, rotation or gather runs along another dimension",
    faults: &["f87"],
    change: Change::Op(change),
};

fn change(draft: &mut Draft, seed: u64) -> Option<()> {
    let source = *draft.op().operands.first()?;
    let dims = draft.vector_dims(source)?.to_vec();
    let rank = dims.len() as u64;
    if rank < 2 {
        return None;
    }
    let next = |d: u64| (d + 1 + seed % (rank - 1)) % rank;
    // Along dimensions of one element nothing moves and nothing is summed.
    let unit = |d: u64| dims.get(d as usize) == Some(&1);
    match &mut draft.op_mut().op {
        // The result must have the same sizes without either.
        TpuOp::MultiReduction { dims: folded, .. } => {
            let i = (seed >> 8) as usize % folded.len().max(1);
            let d = *folded.get(i)?;
            let other = next(d);
            let same_sizes = dims.get(d as usize) == dims.get(other as usize);
            if folded.contains(&other) || !same_sizes || unit(d) {
                return None;
            }
            folded[i] = other;
        }
        TpuOp::AllReduce { dimension, .. }
        | TpuOp::Rotate { dimension, .. }
        | TpuOp::DynamicRotate { dimension }
        | TpuOp::DynamicGather { dimension } => {
            if unit(*dimension) && unit(next(*dimension)) {
                return None;
            }
            *dimension = next(*dimension);
        }
        TpuOp::Reverse { dimensions } => {
            let d = dimensions.first_mut()?;
            *d = next(*d);
        }
        _ => return None,
    }
    Some(())
}
