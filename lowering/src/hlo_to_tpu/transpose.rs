//! `transpose`: each block transposed.

use super::{axes::Axes, emitter::Emitter, form::Site, plan::lead};
use tileproof_dialect::{error::Error, hlo, tpu::KernelValue};

fn permutation(site: &Site<'_>) -> Result<Vec<usize>, Error> {
    match site.op {
        hlo::Op::Transpose(t) => Ok(t.permutation.iter().map(|d| *d as usize).collect()),
        _ => Err(site.unsupported("no transpose")),
    }
}

pub fn divide(site: &Site<'_>, axes: &mut Axes) -> Result<(), Error> {
    for (i, d) in permutation(site)?.into_iter().enumerate() {
        axes.join((site.operands[0], d), (site.results[0], i));
    }
    Ok(())
}

pub fn emit(site: &Site<'_>, e: &mut Emitter<'_>) -> Result<Vec<KernelValue>, Error> {
    let permutation = permutation(site)?;
    let value = e.value(site.operands[0])?;
    let lead = lead(permutation.len());
    let all: Vec<usize> = (0..lead)
        .chain(permutation.iter().map(|d| d + lead))
        .collect();
    Ok(vec![e.transpose(value, &all)])
}
