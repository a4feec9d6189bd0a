//! `dynamic_slice`: a load at clamped scalar indices.

use super::{
    axes::Axes,
    emitter::Emitter,
    form::Site,
    indices::{clamped, read_box},
    plan::lead,
    slice::divide_where_equal,
};
use tileproof_dialect::{error::Error, program::ValueId, tpu::KernelValue};

pub fn divide(site: &Site<'_>, axes: &mut Axes) -> Result<(), Error> {
    divide_where_equal(site.operands[0], site.results[0], site, axes)
}

/// Where a box of the sizes of `part` begins in a tensor of the sizes of `whole`, as i32 scalars; `starts` are the scalar operands.
pub fn starts(
    site: &Site<'_>,
    e: &mut Emitter<'_>,
    whole: ValueId,
    part: ValueId,
    starts: &[ValueId],
) -> Result<Vec<KernelValue>, Error> {
    let (from, to) = (site.dims(whole)?, site.dims(part)?);
    let mut out: Vec<KernelValue> = (0..lead(from.len())).map(|_| e.b.i32(0)).collect();
    for d in 0..from.len() {
        if from[d] == to[d] {
            out.push(e.b.i32(0));
            continue;
        }
        let start = e.scalar(starts[d])?;
        out.push(clamped(e, start, from[d] - to[d]));
    }
    Ok(out)
}

pub fn emit(site: &Site<'_>, e: &mut Emitter<'_>) -> Result<Vec<KernelValue>, Error> {
    let (operand, result) = (site.operands[0], site.results[0]);
    let start = starts(site, e, operand, result, &site.operands[1..])?;
    let sizes = e.block_dims(result)?;
    Ok(vec![read_box(e, operand, &start, &sizes)?])
}
