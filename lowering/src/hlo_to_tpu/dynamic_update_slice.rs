//! `dynamic_update_slice`: the operand in scratch, and a store at clamped scalar indices over it.

use super::{
    axes::Axes, dynamic_slice::starts, emitter::Emitter, form::Site, slice::divide_where_equal,
};
use tileproof_dialect::{error::Error, tpu::KernelValue};

pub fn divide(site: &Site<'_>, axes: &mut Axes) -> Result<(), Error> {
    axes.join_all(site.operands[0], site.results[0]);
    divide_where_equal(site.operands[0], site.operands[1], site, axes)
}

pub fn emit(site: &Site<'_>, e: &mut Emitter<'_>) -> Result<Vec<KernelValue>, Error> {
    let (operand, update) = (site.operands[0], site.operands[1]);
    let start = starts(site, e, operand, update, &site.operands[2..])?;
    let before = e.value(operand)?;
    let value = e.value(update)?;
    let copy = e.put(before)?;
    let start: Vec<KernelValue> = start.into_iter().map(|i| e.as_index(i)).collect();
    e.store(value, copy, &start);
    Ok(vec![e.load_all(copy)])
}
