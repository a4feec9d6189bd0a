//! `reshape`: the same elements in row-major order. Dimensions go together where products of sizes meet; of dimensions that are joined or split the
//! outermost may be divided.

use super::{
    axes::{Axes, groups},
    emitter::Emitter,
    form::Site,
};
use tileproof_dialect::{error::Error, tpu::KernelValue};

pub fn divide(site: &Site<'_>, axes: &mut Axes) -> Result<(), Error> {
    let (a, b) = (site.operands[0], site.results[0]);
    let (from, to) = (site.dims(a)?, site.dims(b)?);
    for (ra, rb) in groups(&from, &to) {
        // The first dimension of more than one element on each side; the rest of the group is in whole.
        let first =
            |dims: &[u64], range: &std::ops::Range<usize>| range.clone().find(|d| dims[*d] != 1);
        let (Some(da), Some(db)) = (first(&from, &ra), first(&to, &rb)) else {
            continue;
        };
        ra.clone()
            .filter(|d| *d != da)
            .for_each(|d| axes.keep_whole(a, d));
        rb.clone()
            .filter(|d| *d != db)
            .for_each(|d| axes.keep_whole(b, d));
        let inner_a: u64 = from[da + 1..ra.end].iter().product();
        let inner_b: u64 = to[db + 1..rb.end].iter().product();
        if inner_a.is_multiple_of(inner_b) {
            axes.join_scaled((a, da), (b, db), inner_a / inner_b);
        } else if inner_b.is_multiple_of(inner_a) {
            axes.join_scaled((b, db), (a, da), inner_b / inner_a);
        } else {
            axes.keep_whole(a, da);
            axes.keep_whole(b, db);
        }
    }
    Ok(())
}

pub fn emit(site: &Site<'_>, e: &mut Emitter<'_>) -> Result<Vec<KernelValue>, Error> {
    let value = e.value(site.operands[0])?;
    let block = e.block_dims(site.results[0])?;
    Ok(vec![e.shape_cast(value, &block)])
}

/// The result runs as the operand.
pub fn divide_alike(site: &Site<'_>, axes: &mut Axes) -> Result<(), Error> {
    axes.join_all(site.operands[0], site.results[0]);
    Ok(())
}

pub fn emit_same(site: &Site<'_>, e: &mut Emitter<'_>) -> Result<Vec<KernelValue>, Error> {
    Ok(vec![e.value(site.operands[0])?])
}
