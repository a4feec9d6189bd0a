//! `iota`: the place in the block, and where the block begins.

use super::{axes::Axes, emitter::Emitter, form::Site, plan::lead};
use tileproof_dialect::{
    error::Error,
    hlo::{self, add::Add},
    tpu::KernelValue,
    types::ElementType,
};

pub fn divide(_: &Site<'_>, _: &mut Axes) -> Result<(), Error> {
    Ok(())
}

pub fn emit(site: &Site<'_>, e: &mut Emitter<'_>) -> Result<Vec<KernelValue>, Error> {
    let hlo::Op::Iota(iota) = site.op else {
        return Err(site.unsupported("no iota"));
    };
    let result = site.results[0];
    let d = iota.iota_dimension as usize;
    let block = e.block_dims(result)?;
    let mut place = e.iota(&block, lead(site.dims(result)?.len()) + d);
    if let Some(offset) = e.offset(result, d) {
        let offset = e.broadcast(offset, &block);
        place = e.elementwise(Add, &[place, offset], ElementType::I32);
    }
    let element = site.computation.element(result)?;
    Ok(vec![e.convert(place, &element)])
}
