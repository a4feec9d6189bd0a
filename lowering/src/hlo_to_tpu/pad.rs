//! `pad`: rows of the padding value beside and between the rows of the operand, dimension by dimension.

use super::{axes::Axes, emitter::Emitter, form::Site, plan::lead};
use tileproof_dialect::{error::Error, hlo, tpu::KernelValue};

pub fn divide(site: &Site<'_>, axes: &mut Axes) -> Result<(), Error> {
    let hlo::Op::Pad(pad) = site.op else {
        return Err(site.unsupported("no pad"));
    };
    let (operand, result) = (site.operands[0], site.results[0]);
    for d in 0..pad.edge_padding_low.len() {
        let amounts = (
            pad.edge_padding_low[d],
            pad.edge_padding_high[d],
            pad.interior_padding[d],
        );
        if amounts == (0, 0, 0) {
            axes.join((operand, d), (result, d));
        } else {
            axes.keep_whole(operand, d);
            axes.keep_whole(result, d);
        }
    }
    Ok(())
}

pub fn emit(site: &Site<'_>, e: &mut Emitter<'_>) -> Result<Vec<KernelValue>, Error> {
    let hlo::Op::Pad(pad) = site.op else {
        return Err(site.unsupported("no pad"));
    };
    let mut value = e.value(site.operands[0])?;
    let with = e.value(site.operands[1])?;
    let lead = lead(pad.edge_padding_low.len());
    for d in 0..pad.edge_padding_low.len() {
        let amounts = Amounts {
            low: pad.edge_padding_low[d],
            high: pad.edge_padding_high[d],
            interior: pad.interior_padding[d] as u64,
        };
        value = pad_along(e, value, with, lead + d, &amounts);
    }
    Ok(vec![value])
}

/// Rows to add along one dimension; negative: to cut off.
pub struct Amounts {
    pub low: i64,
    pub high: i64,
    pub interior: u64,
}

/// `value` with rows of `with`, a vector of one element, added along dimension `d`.
pub fn pad_along(
    e: &mut Emitter<'_>,
    value: KernelValue,
    with: KernelValue,
    d: usize,
    amounts: &Amounts,
) -> KernelValue {
    let mut value = value;
    if amounts.interior > 0 && e.dims(value)[d] > 1 {
        let dims = e.dims(value);
        let mut apart = dims.clone();
        apart.insert(d + 1, 1);
        let rows = e.shape_cast(value, &apart);
        apart[d + 1] = amounts.interior;
        let between = e.broadcast(with, &apart);
        let joined = e.concatenate(&[rows, between], d + 1);
        let mut dims = dims;
        let n = dims[d];
        dims[d] = n * (amounts.interior + 1);
        let joined = e.shape_cast(joined, &dims);
        value = e.slice_along(joined, d, 0, (n - 1) * (amounts.interior + 1) + 1, 1);
    }
    let n = e.dims(value)[d];
    let (cut_low, cut_high) = ((-amounts.low).max(0) as u64, (-amounts.high).max(0) as u64);
    let mut parts = vec![];
    let rows = |e: &mut Emitter<'_>, count: i64| {
        let mut dims = e.dims(value);
        dims[d] = count as u64;
        e.broadcast(with, &dims)
    };
    if amounts.low > 0 {
        parts.push(rows(e, amounts.low));
    }
    // Rows that both sides cut off are cut once; the other side then takes away padding.
    let start = cut_low.min(n);
    let kept = (n - start).saturating_sub(cut_high);
    if kept > 0 {
        parts.push(e.slice_along(value, d, start, kept, 1));
    }
    if amounts.high > 0 {
        parts.push(rows(e, amounts.high));
    }
    let joined = e.concatenate(&parts, d);
    let total = n as i64 + amounts.low + amounts.high;
    let have = e.dims(joined)[d] as i64;
    if have == total {
        return joined;
    }
    // More was cut off on one side than the operand has: the rest comes off the padding of the other.
    let from = cut_low.saturating_sub(n);
    e.slice_along(joined, d, from, total as u64, 1)
}
