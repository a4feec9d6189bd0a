//! `convolution` as matrix products of gathered patches.

use super::{
    contraction::{Side, contract},
    matrices::Sizes,
};
use rayon::prelude::*;
use tileproof_dialect::{
    buffer::Buffer,
    hlo::{convolution::Convolution, patches::Patches},
    planes::Planes,
    tensor::Tensor,
    types::{ElementType, Type},
};

/// Elements of patches gathered at a time.
const SLAB: usize = 1 << 22;

/// The result, or none where the definition must do it.
pub fn eval(
    op: &Convolution,
    lhs: &Tensor,
    rhs: &Tensor,
    results: &[Type],
    planes: Planes,
) -> Option<Tensor> {
    let element: &ElementType = results
        .first()
        .and_then(Type::as_tensor)
        .map_or(lhs.element(), |t| &t.element);
    let patches = Patches::new(op, lhs.dims(), rhs.dims())?;
    let (rows, k, n) = (patches.rows(), patches.k(), patches.out_features);
    if rows * k * n * patches.groups == 0 {
        return None;
    }
    let step = (SLAB / k).clamp(1, rows);
    let mut parts = vec![];
    for group in 0..patches.groups {
        let kernel = op.kernel(&patches, group, rhs);
        for first in (0..rows).step_by(step) {
            let m = step.min(rows - first);
            let taken = gather(lhs, &patches, group, first, m);
            let sizes = Sizes { batch: 1, m, n, k };
            parts.push(contract(
                Side::row_major(&taken, m, k),
                Side::row_major(&kernel, n, k),
                sizes,
                element,
                planes,
            )?);
        }
    }
    let all = Tensor::joined(&parts.iter().collect::<Vec<_>>())?;
    Some(op.assemble(&patches, &all))
}

/// Rows `first..first + m` of the patches of a group, both planes.
fn gather(lhs: &Tensor, patches: &Patches, group: usize, first: usize, m: usize) -> Tensor {
    let k = patches.k();
    // Some rows at a time: their indices stay in the cache for both planes.
    let block = (4096 / k).clamp(1, m);
    lhs.moved(&[m as u64, k as u64], |from, bytes| {
        Buffer::build::<u8>(m * k * bytes, |out| {
            out.par_chunks_mut(block * k * bytes)
                .enumerate()
                .for_each(|(i, out)| {
                    let start = first + i * block;
                    let indices = patches.indices(group, start..start + out.len() / (k * bytes));
                    match bytes {
                        1 => take::<1>(out, from, &indices),
                        2 => take::<2>(out, from, &indices),
                        4 => take::<4>(out, from, &indices),
                        8 => take::<8>(out, from, &indices),
                        _ => take::<16>(out, from, &indices),
                    }
                });
        })
    })
}

/// Elements at `indices`; a negative index leaves zero.
fn take<const BYTES: usize>(out: &mut [u8], from: &[u8], indices: &[i64]) {
    for (o, i) in out.chunks_exact_mut(BYTES).zip(indices) {
        if let Ok(i) = usize::try_from(*i) {
            o.copy_from_slice(&from[i * BYTES..][..BYTES]);
        }
    }
}
