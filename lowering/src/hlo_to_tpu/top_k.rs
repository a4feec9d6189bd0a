//! `top_k`: lines sorted by their total order with the places beside them, then the first k.

use super::{axes::Axes, emitter::Emitter, form::Site, sort::sorted};
use tileproof_dialect::{
    error::Error,
    hlo::{
        self,
        compare::{Compare, CompareType, Direction},
    },
    tpu::KernelValue,
    types::ElementType,
};

pub fn divide(site: &Site<'_>, axes: &mut Axes) -> Result<(), Error> {
    let operand = site.operands[0];
    let rank = site.dims(operand)?.len();
    axes.keep_whole(operand, rank - 1);
    for result in site.results {
        (0..rank - 1).for_each(|d| axes.join((operand, d), (*result, d)));
        axes.keep_whole(*result, rank - 1);
    }
    Ok(())
}

pub fn emit(site: &Site<'_>, e: &mut Emitter<'_>) -> Result<Vec<KernelValue>, Error> {
    let hlo::Op::TopK(top) = site.op else {
        return Err(site.unsupported("no top_k"));
    };
    let value = e.value(site.operands[0])?;
    let element = e.element(value);
    let dims = e.dims(value);
    let n = dims[dims.len() - 1];
    let lines = dims.iter().product::<u64>() / n.max(1);
    let value = e.shape_cast(value, &[lines, n]);
    let place = e.iota(&[lines, n], 1);
    let direction = if top.largest.unwrap_or(true) {
        Direction::Gt
    } else {
        Direction::Lt
    };
    let compare = Compare {
        comparison_direction: direction,
        compare_type: element.is_float().then_some(CompareType::TotalOrder),
    };
    let all = sorted(e, vec![value, place], n, &mut |e, a, b| {
        Ok(e.elementwise(compare.clone(), &[a[0], b[0]], ElementType::I1))
    })?;
    let k = top.k as u64;
    let mut out = vec![];
    for (v, result) in all.into_iter().zip(site.results) {
        let first = e.slice_along(v, 1, 0, k, 1);
        let block = e.block_dims(*result)?;
        let element = site.computation.element(*result)?;
        let first = e.shape_cast(first, &block);
        out.push(e.convert(first, &element));
    }
    Ok(out)
}
