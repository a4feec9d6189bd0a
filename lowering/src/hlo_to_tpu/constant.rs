//! `constant`: one value repeated in the block; other constants are inputs.

use super::{axes::Axes, emitter::Emitter, form::Site};
use tileproof_dialect::{error::Error, hlo, tpu::KernelValue};

pub fn divide(_: &Site<'_>, _: &mut Axes) -> Result<(), Error> {
    Ok(())
}

pub fn emit(site: &Site<'_>, e: &mut Emitter<'_>) -> Result<Vec<KernelValue>, Error> {
    let hlo::Op::Constant(constant) = site.op else {
        return Err(site.unsupported("no constant"));
    };
    let one = constant
        .value
        .splat_value()
        .ok_or_else(|| site.unsupported("a constant of several values inside a kernel"))?;
    let dims = e.block_dims(site.results[0])?;
    Ok(vec![e.splat(&dims, &one)])
}
