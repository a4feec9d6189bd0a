//! `map`: its computation on whole blocks.

use super::{elementwise, emitter::Emitter, form::Site, lanes};
use tileproof_dialect::{error::Error, tpu::KernelValue};

pub fn emit(site: &Site<'_>, e: &mut Emitter<'_>) -> Result<Vec<KernelValue>, Error> {
    let operands = elementwise::blocks(site, e)?;
    let dims = e.block_dims(site.results[0])?;
    let region = site.computation.region(site.id, 0)?;
    lanes::region(e, site.program, region, &operands, &dims)
}
