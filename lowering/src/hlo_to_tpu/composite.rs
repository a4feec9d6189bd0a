//! `composite`: named expansions keep their name around the body.

use super::{elementwise, emitter::Emitter, form::Site, lanes};
use tileproof_dialect::{error::Error, hlo, tpu::KernelValue};

pub fn emit(site: &Site<'_>, e: &mut Emitter<'_>) -> Result<Vec<KernelValue>, Error> {
    let hlo::Op::Composite(composite) = site.op else {
        return Err(site.unsupported("no composite"));
    };
    // Only of functions it is known that they take element by element.
    if !composite.name.starts_with("chlo.") {
        return Err(site.unsupported(format!("'{}' is no function", composite.name)));
    }
    let operands = elementwise::blocks(site, e)?;
    let dims = e.block_dims(site.results[0])?;
    lanes::composite(e, site.program, composite, &operands, &dims)
}
