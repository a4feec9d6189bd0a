//! `slice`: dimensions that are cut are there in whole.

use super::{axes::Axes, emitter::Emitter, form::Site, plan::lead};
use tileproof_dialect::{error::Error, hlo, tpu::KernelValue};

pub fn divide(site: &Site<'_>, axes: &mut Axes) -> Result<(), Error> {
    divide_where_equal(site.operands[0], site.results[0], site, axes)
}

/// Dimensions of one size in both run alike; the others are there in whole.
pub fn divide_where_equal(
    a: tileproof_dialect::program::ValueId,
    b: tileproof_dialect::program::ValueId,
    site: &Site<'_>,
    axes: &mut Axes,
) -> Result<(), Error> {
    let (from, to) = (site.dims(a)?, site.dims(b)?);
    for (d, (x, y)) in from.iter().zip(&to).enumerate() {
        if x == y {
            axes.join((a, d), (b, d));
        } else {
            axes.keep_whole(a, d);
            axes.keep_whole(b, d);
        }
    }
    Ok(())
}

pub fn emit(site: &Site<'_>, e: &mut Emitter<'_>) -> Result<Vec<KernelValue>, Error> {
    let hlo::Op::Slice(slice) = site.op else {
        return Err(site.unsupported("no slice"));
    };
    let value = e.value(site.operands[0])?;
    let (from, to) = (site.dims(site.operands[0])?, site.dims(site.results[0])?);
    let block = e.block_dims(site.results[0])?;
    let lead = lead(to.len());
    let mut offsets = vec![0; lead];
    let mut strides = vec![1; lead];
    for d in 0..to.len() {
        let is_cut = from[d] != to[d];
        offsets.push(if is_cut {
            slice.start_indices[d] as u64
        } else {
            0
        });
        strides.push(if is_cut { slice.strides[d] as u64 } else { 1 });
    }
    Ok(vec![e.slice(value, &offsets, &block, &strides)])
}
