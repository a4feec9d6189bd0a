//! `scatter`: the inputs in scratch; for each index in order the box there is loaded, combined with its update and stored where it lies inside.

use super::{
    axes::Axes,
    emitter::Emitter,
    form::Site,
    indices::{Indices, clamped, each_position, is_inside},
    lanes,
    plan::lead,
};
use tileproof_dialect::{
    error::Error,
    hlo::{self, add::Add, and::And, compare::Direction, scatter::Scatter, subtract::Subtract},
    tpu::{KernelType, KernelValue, TpuOp},
    types::ElementType,
};

fn scatter<'a>(site: &Site<'a>) -> Result<&'a Scatter, Error> {
    match site.op {
        hlo::Op::Scatter(s) => Ok(s),
        _ => Err(site.unsupported("no scatter")),
    }
}

/// Input dimensions that have a window dimension in the updates, with it.
fn windows(s: &Scatter, rank: usize) -> Vec<(usize, usize)> {
    let gone = |d: &usize| {
        let d = *d as i64;
        s.inserted_window_dims.contains(&d) || s.input_batching_dims.contains(&d)
    };
    let kept = (0..rank).filter(|d| !gone(d));
    kept.zip(s.update_window_dims.iter().map(|d| *d as usize))
        .collect()
}

pub fn divide(site: &Site<'_>, axes: &mut Axes) -> Result<(), Error> {
    let s = scatter(site)?;
    let n = site.results.len();
    let dims = site.dims(site.operands[0])?;
    axes.keep_all_whole(site.operands[n]);
    for i in 0..n {
        let (input, update, result) = (site.operands[i], site.operands[n + 1 + i], site.results[i]);
        axes.join_all(input, result);
        let sizes = site.dims(update)?;
        let mut divided = vec![];
        for (d, from) in windows(s, dims.len()) {
            let is_indexed = s.scatter_dims_to_operand_dims.contains(&(d as i64));
            if sizes[from] == dims[d] && !is_indexed {
                axes.join((input, d), (update, from));
                divided.push((d, from));
            }
        }
        (0..dims.len())
            .filter(|d| !divided.iter().any(|(to, _)| to == d))
            .for_each(|d| axes.keep_whole(input, d));
        (0..sizes.len())
            .filter(|d| !divided.iter().any(|(_, from)| from == d))
            .for_each(|d| axes.keep_whole(update, d));
        // All inputs together.
        axes.join_all(site.operands[0], input);
    }
    Ok(())
}

pub fn emit(site: &Site<'_>, e: &mut Emitter<'_>) -> Result<Vec<KernelValue>, Error> {
    let s = scatter(site)?;
    let n = site.results.len();
    let region = site.computation.region(site.id, 0)?;
    let dims = site.dims(site.operands[0])?;
    let lead = lead(dims.len());
    let windows = windows(s, dims.len());
    let block = e.block_dims(site.operands[0])?;
    let indices = Indices::new(site, e, site.operands[n], s.index_vector_dim)?;
    let positions = indices.positions();
    let mut targets = vec![];
    let mut updates = vec![];
    for i in 0..n {
        let before = e.value(site.operands[i])?;
        let element = site.computation.element(site.results[i])?;
        let before = e.convert(before, &element);
        targets.push(e.put(before)?);
        updates.push(rows(site, e, site.operands[n + 1 + i], &windows, &element)?);
    }
    // The box in the shape of the input.
    let mut sizes = vec![1; block.len()];
    let update_dims = e.block_dims(site.operands[n + 1])?;
    let update_lead = super::plan::lead(site.dims(site.operands[n + 1])?.len());
    for (d, from) in &windows {
        sizes[lead + d] = update_dims[update_lead + from];
    }
    each_position(e, &positions, &mut |e, at, number| {
        let mut start: Vec<KernelValue> = (0..lead).map(|_| e.index(0)).collect();
        // Whether the box lies inside, along dimensions where it has one element; how far it was moved along the others.
        let mut inside: Option<KernelValue> = None;
        let mut moved: Vec<(usize, KernelValue)> = vec![];
        for d in 0..dims.len() {
            let size = sizes[lead + d];
            let component = s
                .scatter_dims_to_operand_dims
                .iter()
                .position(|m| *m as usize == d);
            let batching = s.input_batching_dims.iter().position(|m| *m as usize == d);
            start.push(match (component, batching) {
                (Some(k), _) => {
                    let index = indices.component(e, at, k);
                    let put = clamped(e, index, dims[d] - size);
                    if size == 1 {
                        let is = is_inside(e, index, dims[d] - 1);
                        inside = Some(match inside {
                            Some(known) => e.elementwise(And, &[known, is], ElementType::I1),
                            None => is,
                        });
                    } else {
                        let by = e.elementwise(Subtract, &[index, put], ElementType::I32);
                        moved.push((lead + d, by));
                    }
                    e.as_index(put)
                }
                (None, Some(b)) => {
                    let of = s.scatter_indices_batching_dims[b];
                    let place = of as usize - usize::from(of > s.index_vector_dim);
                    e.as_index(at[place])
                }
                (None, None) => e.index(0),
            });
        }
        let update_one = |e: &mut Emitter<'_>| -> Result<(), Error> {
            let mut both = vec![];
            for target in &targets {
                both.push(e.load(*target, &start, &sizes));
            }
            let mut mask = None;
            for reference in &updates {
                let row = e.reference_dims(*reference);
                let mut from = vec![e.as_index(number)];
                (1..row.len()).for_each(|_| from.push(e.index(0)));
                let mut one = row.clone();
                one[0] = 1;
                let mut value = e.load(*reference, &from, &one);
                value = e.shape_cast(value, &sizes);
                let mut all = None;
                for (d, by) in &moved {
                    let (turned, is) = shifted(e, value, *d, *by);
                    value = turned;
                    all = Some(match all {
                        Some(known) => e.elementwise(And, &[known, is], ElementType::I1),
                        None => is,
                    });
                }
                mask = all;
                both.push(value);
            }
            let combined = lanes::region(e, site.program, region, &both, &sizes)?;
            for (value, target) in combined.into_iter().zip(&targets) {
                match mask {
                    Some(mask) => e.store_masked(value, *target, &start, mask),
                    None => e.store(value, *target, &start),
                }
            }
            Ok(())
        };
        match inside {
            Some(inside) => e.when(inside, update_one),
            None => update_one(e),
        }
    })?;
    Ok(targets.into_iter().map(|t| e.load_all(t)).collect())
}

/// `value` moved by `by` along dimension `d`, and which of its places have an element then.
fn shifted(
    e: &mut Emitter<'_>,
    value: KernelValue,
    d: usize,
    by: KernelValue,
) -> (KernelValue, KernelValue) {
    let dims = e.dims(value);
    let size = dims[d];
    let n = e.b.i32(size as i64);
    // A distance of the size or more leaves nothing inside.
    let low = e.b.i32(-(size as i64));
    let kept = e.elementwise(hlo::maximum::Maximum, &[by, low], ElementType::I32);
    let kept = e.elementwise(hlo::minimum::Minimum, &[kept, n], ElementType::I32);
    let positive = e.elementwise(Add, &[kept, n], ElementType::I32);
    let amount = e.elementwise(hlo::remainder::Remainder, &[positive, n], ElementType::I32);
    let ty = KernelType::vector(&dims, e.element(value));
    let op = TpuOp::DynamicRotate {
        dimension: d as u64,
    };
    let turned = e.b.one(op, &[value, amount], ty);
    let place = e.iota(&dims, d);
    let by = e.broadcast(kept, &dims);
    let from = e.elementwise(Subtract, &[place, by], ElementType::I32);
    let zero = e.b.i32(0);
    let (zero, n) = (e.broadcast(zero, &dims), e.broadcast(n, &dims));
    let low = e.compare(Direction::Ge, from, zero);
    let high = e.compare(Direction::Lt, from, n);
    (turned, e.elementwise(And, &[low, high], ElementType::I1))
}

/// Scratch `[positions, window sizes..]` that holds the updates.
fn rows(
    site: &Site<'_>,
    e: &mut Emitter<'_>,
    update: tileproof_dialect::program::ValueId,
    windows: &[(usize, usize)],
    element: &ElementType,
) -> Result<KernelValue, Error> {
    let rank = site.dims(update)?.len();
    let value = e.value(update)?;
    let value = e.convert(value, element);
    let dims = e.dims(value);
    let own = dims[dims.len() - rank..].to_vec();
    let batch: Vec<usize> = (0..rank)
        .filter(|d| !windows.iter().any(|(_, w)| w == d))
        .collect();
    let order: Vec<usize> = batch
        .iter()
        .copied()
        .chain(windows.iter().map(|(_, w)| *w))
        .collect();
    let value = if rank == 0 {
        value
    } else {
        let value = e.shape_cast(value, &own);
        e.transpose(value, &order)
    };
    let mut rows = vec![batch.iter().map(|d| own[*d]).product()];
    rows.extend(windows.iter().map(|(_, w)| own[*w]));
    if rows.len() == 1 {
        rows.push(1);
    }
    let value = e.shape_cast(value, &rows);
    e.put(value)
}
