//! `reverse`: reversed dimensions are there in whole.

use super::{axes::Axes, emitter::Emitter, form::Site, plan::lead};
use tileproof_dialect::{
    error::Error,
    hlo,
    tpu::{KernelType, KernelValue, TpuOp},
};

fn dimensions(site: &Site<'_>) -> Result<Vec<usize>, Error> {
    match site.op {
        hlo::Op::Reverse(r) => Ok(r.dimensions.iter().map(|d| *d as usize).collect()),
        _ => Err(site.unsupported("no reverse")),
    }
}

pub fn divide(site: &Site<'_>, axes: &mut Axes) -> Result<(), Error> {
    axes.join_all(site.operands[0], site.results[0]);
    for d in dimensions(site)? {
        axes.keep_whole(site.results[0], d);
    }
    Ok(())
}

pub fn emit(site: &Site<'_>, e: &mut Emitter<'_>) -> Result<Vec<KernelValue>, Error> {
    let lead = lead(site.dims(site.results[0])?.len());
    let dimensions: Vec<u64> = dimensions(site)?
        .iter()
        .map(|d| (d + lead) as u64)
        .collect();
    let value = e.value(site.operands[0])?;
    Ok(vec![reversed(e, value, dimensions)])
}

/// `value` reversed along `dimensions`.
pub fn reversed(e: &mut Emitter<'_>, value: KernelValue, dimensions: Vec<u64>) -> KernelValue {
    if dimensions.is_empty() {
        return value;
    }
    let ty = KernelType::vector(&e.dims(value), e.element(value));
    e.b.one(TpuOp::Reverse { dimensions }, &[value], ty)
}
