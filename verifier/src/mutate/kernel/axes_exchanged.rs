//! `axes-exchanged`: a transpose, or a matrix product, takes two dimensions of one size for each other.

use super::{Change, KernelMutator, draft::Draft};
use tileproof_dialect::tpu::TpuOp;

pub const MUTATOR: KernelMutator = KernelMutator {
    name: "axes-exchanged",
    summary: "a transpose or matrix product takes two dimensions of one size for each other",
    faults: &["f52"],
    change: Change::Op(change),
};

fn change(draft: &mut Draft, seed: u64) -> Option<()> {
    let operands = draft.op().operands.clone();
    let sizes = |v: usize| draft.vector_dims(*operands.get(v)?).map(<[u64]>::to_vec);
    let (first, second) = (sizes(0)?, sizes(1));
    match &mut draft.op_mut().op {
        TpuOp::Transpose { permutation } => {
            let n = permutation.len();
            let pairs: Vec<(usize, usize)> = (0..n)
                .flat_map(|i| (i + 1..n).map(move |j| (i, j)))
                .filter(|(i, j)| {
                    first[permutation[*i] as usize] == first[permutation[*j] as usize]
                        && first[permutation[*i] as usize] > 1
                })
                .collect();
            let (i, j) = *pairs.get(seed as usize % pairs.len().max(1))?;
            permutation.swap(i, j);
            Some(())
        }
        TpuOp::Matmul { dimensions, .. } => {
            let (contracting, batch, all) = if seed & 1 == 0 {
                (
                    &mut dimensions.lhs_contracting,
                    &dimensions.lhs_batch,
                    first,
                )
            } else {
                (
                    &mut dimensions.rhs_contracting,
                    &dimensions.rhs_batch,
                    second?,
                )
            };
            let d = contracting.first_mut()?;
            let size = *all.get(*d as usize)?;
            let other = (0..all.len() as u64)
                .find(|x| x != d && !batch.contains(x) && all[*x as usize] == size)?;
            *d = other;
            Some(())
        }
        _ => None,
    }
}
