//! `select_and_scatter`: for each window the number of the element it selects, then each source combined into the element selected.

use super::{
    axes::Axes,
    convolution::coordinates,
    emitter::Emitter,
    form::Site,
    lanes,
    pad::{Amounts, pad_along},
    plan::lead,
};
use tileproof_dialect::{
    error::Error,
    hlo::{self, compare::Direction, or::Or, select_and_scatter::SelectAndScatter},
    tensor::Tensor,
    tpu::KernelValue,
    types::ElementType,
};

/// Elements of a window that are written out in one kernel at most.
const MOST_ELEMENTS: u64 = 256;

fn op<'a>(site: &Site<'a>) -> Result<&'a SelectAndScatter, Error> {
    match site.op {
        hlo::Op::SelectAndScatter(s) => Ok(s),
        _ => Err(site.unsupported("no select_and_scatter")),
    }
}

fn is_trivial(s: &SelectAndScatter, d: usize) -> bool {
    (s.window_dimensions[d], s.window_strides[d]) == (1, 1)
        && (s.padding[2 * d], s.padding[2 * d + 1]) == (0, 0)
}

pub fn divide(site: &Site<'_>, axes: &mut Axes) -> Result<(), Error> {
    let s = op(site)?;
    let (operand, source, result) = (site.operands[0], site.operands[1], site.results[0]);
    axes.join_all(operand, result);
    for d in 0..site.dims(operand)?.len() {
        if is_trivial(s, d) {
            axes.join((source, d), (result, d));
        } else {
            axes.keep_whole(operand, d);
            axes.keep_whole(source, d);
        }
    }
    Ok(())
}

pub fn emit(site: &Site<'_>, e: &mut Emitter<'_>) -> Result<Vec<KernelValue>, Error> {
    let s = op(site)?;
    let (select, scatter) = (
        site.computation.region(site.id, 0)?,
        site.computation.region(site.id, 1)?,
    );
    let rank = site.dims(site.operands[0])?.len();
    let lead = lead(rank);
    let sizes: Vec<u64> = s.window_dimensions.iter().map(|n| *n as u64).collect();
    if sizes.iter().product::<u64>() > MOST_ELEMENTS {
        return Err(site.unsupported(format!("a window of {sizes:?}")));
    }
    let operand = e.value(site.operands[0])?;
    let source = e.value(site.operands[1])?;
    let element = site.computation.element(site.results[0])?;
    let source = e.convert(source, &element);
    let windows = e.dims(source);
    let all = e.dims(operand);
    // Padded elements are no candidates: a mask that is padded with false goes along.
    let (mut padded, mut inside) = (operand, {
        let one = Tensor::from_i64s(&[], &ElementType::I1, &[1]);
        e.splat(&all, &one)
    });
    let zero = Tensor::from_i64s(&[], &e.element(operand), &[0]);
    let zero = e.splat(&[1], &zero);
    let no = Tensor::from_i64s(&[], &ElementType::I1, &[0]);
    let no = e.splat(&[1], &no);
    for d in 0..rank {
        let amounts = Amounts {
            low: s.padding[2 * d],
            high: s.padding[2 * d + 1],
            interior: 0,
        };
        padded = pad_along(e, padded, zero, lead + d, &amounts);
        inside = pad_along(e, inside, no, lead + d, &amounts);
    }
    let box_of = |e: &mut Emitter<'_>, v: KernelValue, tap: &[u64]| {
        let (mut offsets, mut strides) = (vec![0; lead], vec![1; lead]);
        offsets.extend(tap);
        strides.extend(s.window_strides.iter().map(|n| *n as u64));
        e.slice(v, &offsets, &windows, &strides)
    };
    // Best candidate so far, its number, and whether there is one.
    let mut best: Option<(KernelValue, KernelValue, KernelValue)> = None;
    let taps = coordinates(&sizes);
    for (number, tap) in taps.iter().enumerate() {
        let candidate = box_of(e, padded, tap);
        let is = box_of(e, inside, tap);
        let number = Tensor::from_i64s(&[], &ElementType::I32, &[number as i64]);
        let number = e.splat(&windows, &number);
        best = Some(match best {
            None => (candidate, number, is),
            Some((value, chosen, found)) => {
                let keeps =
                    lanes::region(e, site.program, select, &[value, candidate], &windows)?[0];
                // Kept: there is one and it is preferred, or the other is none.
                let yes = e.elementwise(hlo::and::And, &[keeps, found], ElementType::I1);
                let none = e.elementwise(hlo::not::Not, &[is], ElementType::I1);
                let keeps = e.elementwise(Or, &[yes, none], ElementType::I1);
                (
                    e.select(keeps, value, candidate),
                    e.select(keeps, chosen, number),
                    e.elementwise(Or, &[found, is], ElementType::I1),
                )
            }
        });
    }
    let (_, chosen, found) = best.ok_or_else(|| site.unsupported("a window without elements"))?;
    let init = e.value(site.operands[2])?;
    let init = e.convert(init, &element);
    let total = e.dims(padded);
    let mut sums = e.broadcast(init, &total);
    let zero = Tensor::from_i64s(&[], &element, &[0]);
    let zero = e.splat(&[1], &zero);
    for (number, tap) in taps.iter().enumerate() {
        let number = Tensor::from_i64s(&[], &ElementType::I32, &[number as i64]);
        let number = e.splat(&windows, &number);
        let is = e.compare(Direction::Eq, chosen, number);
        let mut is = e.elementwise(hlo::and::And, &[is, found], ElementType::I1);
        let mut value = source;
        for d in 0..rank {
            let stride = s.window_strides[d] as u64;
            let covered = (windows[lead + d] - 1) * stride + 1;
            let amounts = Amounts {
                low: tap[d] as i64,
                high: total[lead + d] as i64 - tap[d] as i64 - covered as i64,
                interior: stride - 1,
            };
            value = pad_along(e, value, zero, lead + d, &amounts);
            is = pad_along(e, is, no, lead + d, &amounts);
        }
        let combined = lanes::region(e, site.program, scatter, &[sums, value], &total)?[0];
        sums = e.select(is, combined, sums);
    }
    for d in 0..rank {
        let amounts = Amounts {
            low: -s.padding[2 * d],
            high: -s.padding[2 * d + 1],
            interior: 0,
        };
        let value = if s.padding[2 * d] < 0 || s.padding[2 * d + 1] < 0 {
            e.shape_cast(init, &[1])
        } else {
            zero
        };
        sums = pad_along(e, sums, value, lead + d, &amounts);
    }
    Ok(vec![sums])
}
