//! `broadcast_in_dim`: dimensions in the order of the result, ones between them, then spread.

use super::{axes::Axes, emitter::Emitter, form::Site};
use tileproof_dialect::{error::Error, hlo, tpu::KernelValue};

fn dimensions(site: &Site<'_>) -> Result<Vec<usize>, Error> {
    match site.op {
        hlo::Op::BroadcastInDim(b) => {
            Ok(b.broadcast_dimensions.iter().map(|d| *d as usize).collect())
        }
        hlo::Op::Broadcast(b) => {
            let first = b.broadcast_sizes.len();
            Ok((first..first + site.dims(site.operands[0])?.len()).collect())
        }
        _ => Err(site.unsupported("no broadcast")),
    }
}

pub fn divide(site: &Site<'_>, axes: &mut Axes) -> Result<(), Error> {
    let (operand, result) = (site.operands[0], site.results[0]);
    let (from, to) = (site.dims(operand)?, site.dims(result)?);
    for (i, d) in dimensions(site)?.into_iter().enumerate() {
        if from[i] == to[d] {
            axes.join((operand, i), (result, d));
        }
    }
    Ok(())
}

pub fn emit(site: &Site<'_>, e: &mut Emitter<'_>) -> Result<Vec<KernelValue>, Error> {
    let (operand, result) = (site.operands[0], site.results[0]);
    let to = site.dims(result)?;
    let block = e.block_dims(result)?;
    let dimensions = dimensions(site)?;
    let value = e.value(operand)?;
    // The operand's own dimensions, without the ones the kernel adds.
    let shape = e.dims(value);
    let own = shape[shape.len() - dimensions.len()..].to_vec();
    let mut order: Vec<usize> = (0..dimensions.len()).collect();
    order.sort_by_key(|i| dimensions[*i]);
    let value = if order.is_sorted() || own.is_empty() {
        value
    } else {
        let value = e.shape_cast(value, &own);
        e.transpose(value, &order)
    };
    let mut spread = vec![1; block.len()];
    for i in &order {
        spread[block.len() - to.len() + dimensions[*i]] = own[*i];
    }
    let value = e.shape_cast(value, &spread);
    Ok(vec![e.broadcast(value, &block)])
}
