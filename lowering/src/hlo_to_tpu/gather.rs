//! `gather`: for each index a box of the operand, loaded at clamped scalar indices and stored as a row.

use super::{
    axes::Axes,
    emitter::Emitter,
    form::Site,
    indices::{Indices, clamped, each_position, read_box},
    plan::lead,
};
use tileproof_dialect::{
    error::Error,
    hlo::{self, gather::Gather},
    tpu::{KernelValue, MemRefType, MemorySpace},
};

fn gather<'a>(site: &Site<'a>) -> Result<&'a Gather, Error> {
    match site.op {
        hlo::Op::Gather(g) => Ok(g),
        _ => Err(site.unsupported("no gather")),
    }
}

/// Operand dimensions that the result keeps, in order, with the result dimension of each.
fn kept(g: &Gather, rank: usize) -> Vec<(usize, usize)> {
    let gone = |d: &usize| {
        let d = *d as i64;
        g.collapsed_slice_dims.contains(&d) || g.operand_batching_dims.contains(&d)
    };
    let kept = (0..rank).filter(|d| !gone(d));
    kept.zip(g.offset_dims.iter().map(|d| *d as usize))
        .collect()
}

pub fn divide(site: &Site<'_>, axes: &mut Axes) -> Result<(), Error> {
    let g = gather(site)?;
    let (operand, indices, result) = (site.operands[0], site.operands[1], site.results[0]);
    let dims = site.dims(operand)?;
    axes.keep_all_whole(indices);
    let mut divided = vec![];
    for (d, to) in kept(g, dims.len()) {
        if g.slice_sizes[d] as u64 == dims[d] {
            axes.join((operand, d), (result, to));
            divided.push((d, to));
        }
    }
    for d in 0..dims.len() {
        if !divided.iter().any(|(from, _)| *from == d) {
            axes.keep_whole(operand, d);
        }
    }
    for d in 0..site.dims(result)?.len() {
        if !divided.iter().any(|(_, to)| *to == d) {
            axes.keep_whole(result, d);
        }
    }
    Ok(())
}

pub fn emit(site: &Site<'_>, e: &mut Emitter<'_>) -> Result<Vec<KernelValue>, Error> {
    let g = gather(site)?;
    let (operand, result) = (site.operands[0], site.results[0]);
    let dims = site.dims(operand)?;
    let block = e.block_dims(result)?;
    let result_rank = site.dims(result)?.len();
    let kept = kept(g, dims.len());
    // The box as it is loaded: whole or divided dimensions as in the result's block.
    let mut sizes = vec![1; lead(dims.len())];
    for (d, size) in g.slice_sizes.iter().enumerate() {
        let to = kept.iter().find(|(from, _)| *from == d).map(|(_, to)| *to);
        sizes.push(to.map_or(*size as u64, |to| block[lead(result_rank) + to]));
    }
    let indices = Indices::new(site, e, site.operands[1], g.index_vector_dim)?;
    let positions = indices.positions();
    let count: u64 = positions.iter().product();
    // Rows: one box an index.
    let mut rows = vec![count];
    rows.extend(kept.iter().map(|(d, _)| sizes[lead(dims.len()) + d]));
    if rows.len() == 1 {
        rows.push(1);
    }
    let element = site.computation.element(operand)?;
    let out =
        e.b.scratch(MemRefType::new(&rows, element, MemorySpace::Vmem));
    each_position(e, &positions, &mut |e, at, number| {
        let mut start: Vec<KernelValue> = (0..lead(dims.len())).map(|_| e.b.i32(0)).collect();
        for d in 0..dims.len() {
            let component = g.start_index_map.iter().position(|m| *m as usize == d);
            let batching = g
                .operand_batching_dims
                .iter()
                .position(|m| *m as usize == d);
            start.push(match (component, batching) {
                (Some(_), _) if g.slice_sizes[d] as u64 == dims[d] => e.b.i32(0),
                (Some(k), _) => {
                    let index = indices.component(e, at, k);
                    clamped(e, index, dims[d] - g.slice_sizes[d] as u64)
                }
                (None, Some(b)) => {
                    let of = g.start_indices_batching_dims[b];
                    let place = of as usize - usize::from(of > g.index_vector_dim);
                    at[place]
                }
                (None, None) => e.b.i32(0),
            });
        }
        let part = read_box(e, operand, &start, &sizes)?;
        let mut row = rows.clone();
        row[0] = 1;
        let part = e.shape_cast(part, &row);
        let mut to = vec![e.as_index(number)];
        (1..row.len()).for_each(|_| to.push(e.index(0)));
        e.store(part, out, &to);
        Ok(())
    })?;
    let value = e.load_all(out);
    // [positions.., kept..], then each dimension to its place in the result.
    let mut apart = positions.clone();
    apart.extend(kept.iter().map(|(d, _)| sizes[lead(dims.len()) + d]));
    if apart.is_empty() {
        return Ok(vec![e.shape_cast(value, &block)]);
    }
    let value = e.shape_cast(value, &apart);
    let batch = (0..result_rank).filter(|d| !kept.iter().any(|(_, to)| to == d));
    let places: Vec<usize> = batch.chain(kept.iter().map(|(_, to)| *to)).collect();
    let mut order = vec![0; result_rank];
    for (from, to) in places.iter().enumerate() {
        order[*to] = from;
    }
    let value = e.transpose(value, &order);
    Ok(vec![e.shape_cast(value, &block)])
}
