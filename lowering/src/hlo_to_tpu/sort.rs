//! `sort`: a bitonic network over the sorted dimension, whole vectors at a time. The place is the last key, so that equal elements keep their order;
//! lines are filled up to a power of two with places that come last.

use super::{axes::Axes, emitter::Emitter, form::Site, lanes, plan::lead};
use tileproof_dialect::{
    error::Error,
    hlo::{self, and::And, compare::Direction, not::Not, or::Or, sort::Sort, xor::Xor},
    tensor::Tensor,
    tpu::KernelValue,
    types::ElementType,
};

fn sort<'a>(site: &Site<'a>) -> Result<&'a Sort, Error> {
    match site.op {
        hlo::Op::Sort(s) => Ok(s),
        _ => Err(site.unsupported("no sort")),
    }
}

fn axis(site: &Site<'_>) -> Result<usize, Error> {
    let rank = site.dims(site.operands[0])?.len() as i64;
    let d = sort(site)?.dimension;
    Ok(if d < 0 { d + rank } else { d } as usize)
}

pub fn divide(site: &Site<'_>, axes: &mut Axes) -> Result<(), Error> {
    let sorted = axis(site)?;
    for (operand, result) in site.operands.iter().zip(site.results) {
        axes.join_all(*operand, *result);
        axes.join_all(site.operands[0], *operand);
    }
    axes.keep_whole(site.operands[0], sorted);
    Ok(())
}

pub fn emit(site: &Site<'_>, e: &mut Emitter<'_>) -> Result<Vec<KernelValue>, Error> {
    let region = site.computation.region(site.id, 0)?;
    let rank = site.dims(site.operands[0])?.len();
    let d = lead(rank) + axis(site)?;
    let values: Vec<KernelValue> = site
        .operands
        .iter()
        .map(|v| e.value(*v))
        .collect::<Result<_, _>>()?;
    let dims = e.dims(values[0]);
    let order = last(dims.len(), d);
    let n = dims[d];
    let lines = dims.iter().product::<u64>() / n.max(1);
    let mut keys = vec![];
    for value in values {
        let value = e.transpose(value, &order);
        keys.push(e.shape_cast(value, &[lines, n]));
    }
    let sorted = sorted(e, keys, n, &mut |e, a, b| {
        let dims = e.dims(a[0]);
        let pairs: Vec<KernelValue> = a.iter().zip(b).flat_map(|(a, b)| [*a, *b]).collect();
        Ok(lanes::region(e, site.program, region, &pairs, &dims)?[0])
    })?;
    let mut back = vec![0; order.len()];
    order.iter().enumerate().for_each(|(i, d)| back[*d] = i);
    let moved: Vec<u64> = order.iter().map(|d| dims[*d]).collect();
    Ok(sorted
        .into_iter()
        .map(|v| {
            let v = e.shape_cast(v, &moved);
            e.transpose(v, &back)
        })
        .collect())
}

/// Dimension `d` behind the others.
pub fn last(rank: usize, d: usize) -> Vec<usize> {
    (0..rank).filter(|i| *i != d).chain([d]).collect()
}

/// Whether the first of two tuples comes before the second.
pub type Earlier<'c> =
    dyn FnMut(&mut Emitter<'_>, &[KernelValue], &[KernelValue]) -> Result<KernelValue, Error> + 'c;

/// Lines `[lines, n]` sorted together by `earlier`, ties by place.
pub fn sorted(
    e: &mut Emitter<'_>,
    keys: Vec<KernelValue>,
    n: u64,
    earlier: &mut Earlier<'_>,
) -> Result<Vec<KernelValue>, Error> {
    if n <= 1 {
        return Ok(keys);
    }
    let lines = e.dims(keys[0])[0];
    let full = n.next_power_of_two();
    let mut all = vec![];
    for key in keys {
        let filling = if full > n {
            let zero = Tensor::from_i64s(&[], &e.element(key), &[0]);
            let rest = e.splat(&[lines, full - n], &zero);
            e.concatenate(&[key, rest], 1)
        } else {
            key
        };
        all.push(filling);
    }
    all.push(e.iota(&[lines, full], 1));
    let mut block = 2;
    while block <= full {
        let mut distance = block / 2;
        while distance > 0 {
            all = exchanged(e, all, n, (block, distance), earlier)?;
            distance /= 2;
        }
        block *= 2;
    }
    all.pop();
    Ok(all
        .into_iter()
        .map(|v| e.slice_along(v, 1, 0, n, 1))
        .collect())
}

/// One step of the network: elements `distance` apart are exchanged where they are out of order; every second block of `block` elements runs down.
fn exchanged(
    e: &mut Emitter<'_>,
    all: Vec<KernelValue>,
    n: u64,
    (block, distance): (u64, u64),
    earlier: &mut Earlier<'_>,
) -> Result<Vec<KernelValue>, Error> {
    let dims = e.dims(all[0]);
    let (lines, full) = (dims[0], dims[1]);
    let pairs = full / (2 * distance);
    let (mut low, mut high) = (vec![], vec![]);
    for v in &all {
        let apart = e.shape_cast(*v, &[lines, pairs, 2, distance]);
        low.push(e.slice_along(apart, 2, 0, 1, 1));
        high.push(e.slice_along(apart, 2, 1, 1, 1));
    }
    let shape = e.dims(low[0]);
    let k = all.len() - 1;
    let mut before = earlier(e, &high[..k], &low[..k])?;
    let end = Tensor::from_i64s(&[], &ElementType::I32, &[n as i64]);
    if distance == block / 2 {
        // The first step of a block: its halves have been apart so far, so low is before high by place.
        if full > n {
            let end = e.splat(&shape, &end);
            let is_element = e.compare(Direction::Lt, high[k], end);
            before = e.elementwise(And, &[before, is_element], ElementType::I1);
        }
    } else {
        let second = earlier(e, &low[..k], &high[..k])?;
        let place = e.compare(Direction::Lt, high[k], low[k]);
        // high before low: by the comparator, or by place where it orders neither.
        let undecided = e.elementwise(Not, &[second], ElementType::I1);
        let tie = e.elementwise(And, &[undecided, place], ElementType::I1);
        before = e.elementwise(Or, &[before, tie], ElementType::I1);
        if full > n {
            // Filling comes behind everything, in order of place.
            let end = e.splat(&shape, &end);
            let a = e.compare(Direction::Ge, low[k], end);
            let b = e.compare(Direction::Ge, high[k], end);
            let is_filling = e.elementwise(Or, &[a, b], ElementType::I1);
            before = e.select(is_filling, place, before);
        }
    }
    // Block number of the low element: pair number times two distances over the block.
    let number = e.iota(&shape, 1);
    let width = Tensor::from_i64s(&[], &ElementType::I32, &[(block / (2 * distance)) as i64]);
    let width = e.splat(&shape, &width);
    let number = e.elementwise(hlo::divide::Divide, &[number, width], ElementType::I32);
    let one = Tensor::from_i64s(&[], &ElementType::I32, &[1]);
    let one = e.splat(&shape, &one);
    let number = e.elementwise(And, &[number, one], ElementType::I32);
    let down = e.compare(Direction::Eq, number, one);
    let exchange = e.elementwise(Xor, &[before, down], ElementType::I1);
    let mut out = vec![];
    for (l, h) in low.into_iter().zip(high) {
        let first = e.select(exchange, h, l);
        let second = e.select(exchange, l, h);
        let joined = e.concatenate(&[first, second], 2);
        out.push(e.shape_cast(joined, &[lines, full]));
    }
    Ok(out)
}
