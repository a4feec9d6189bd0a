//! `concatenate`: the joined dimension is there in whole.

use super::{axes::Axes, emitter::Emitter, form::Site, plan::lead};
use tileproof_dialect::{error::Error, hlo, tpu::KernelValue};

pub fn divide(site: &Site<'_>, axes: &mut Axes) -> Result<(), Error> {
    let hlo::Op::Concatenate(c) = site.op else {
        return Err(site.unsupported("no concatenate"));
    };
    let joined = c.dimension as usize;
    let result = site.results[0];
    let rank = site.dims(result)?.len();
    axes.keep_whole(result, joined);
    for v in &site.operands {
        axes.keep_whole(*v, joined);
        for d in (0..rank).filter(|d| *d != joined) {
            axes.join((*v, d), (result, d));
        }
    }
    Ok(())
}

pub fn emit(site: &Site<'_>, e: &mut Emitter<'_>) -> Result<Vec<KernelValue>, Error> {
    let hlo::Op::Concatenate(c) = site.op else {
        return Err(site.unsupported("no concatenate"));
    };
    let rank = site.dims(site.results[0])?.len();
    let parts: Vec<KernelValue> = site
        .operands
        .iter()
        .map(|v| e.value(*v))
        .collect::<Result<_, _>>()?;
    Ok(vec![
        e.concatenate(&parts, lead(rank) + c.dimension as usize),
    ])
}
