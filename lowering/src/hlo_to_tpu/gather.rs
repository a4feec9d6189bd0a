//! `gather`: for each index a box of the operand, loaded at clamped scalar indices and stored as a row; boxes of few elements all at once, by the places of
//! their elements.

use super::{
    axes::Axes,
    convolution::coordinates,
    emitter::Emitter,
    form::Site,
    indices::{Indices, clamped, clamped_all, each_position, read_box},
    plan::lead,
};
use tileproof_dialect::{
    error::Error,
    hlo::{self, add::Add, gather::Gather, multiply::Multiply},
    tensor::{Tensor, row_major_strides},
    tpu::{KernelType, KernelValue, MemRefType, MemorySpace, TpuOp},
    types::ElementType,
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

/// Elements of a box from which on it is loaded as a row.
const ROW: i64 = 8;

/// Whether boxes are loaded one by one.
pub fn is_by_rows(g: &Gather) -> bool {
    g.slice_sizes.iter().product::<i64>() >= ROW
}

pub fn divide(site: &Site<'_>, axes: &mut Axes) -> Result<(), Error> {
    let g = gather(site)?;
    let (operand, indices, result) = (site.operands[0], site.operands[1], site.results[0]);
    let dims = site.dims(operand)?;
    axes.keep_all_whole(indices);
    if !is_by_rows(g) {
        axes.keep_all_whole(operand);
        axes.keep_all_whole(result);
        return Ok(());
    }
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
    if !is_by_rows(g) {
        return by_places(site, e, g);
    }
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
        for (d, size) in dims.iter().enumerate() {
            let component = g.start_index_map.iter().position(|m| *m as usize == d);
            let batching = g
                .operand_batching_dims
                .iter()
                .position(|m| *m as usize == d);
            start.push(match (component, batching) {
                (Some(_), _) if g.slice_sizes[d] as u64 == *size => e.b.i32(0),
                (Some(k), _) => {
                    let index = indices.component(e, at, k);
                    clamped(e, index, *size - g.slice_sizes[d] as u64)
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
    let boxes: Vec<u64> = kept
        .iter()
        .map(|(d, _)| sizes[lead(dims.len()) + d])
        .collect();
    arranged(site, e, value, &positions, &boxes, &kept)
}

/// Elements of `[positions.., sizes of the boxes..]`, each dimension at its place in the result.
fn arranged(
    site: &Site<'_>,
    e: &mut Emitter<'_>,
    value: KernelValue,
    positions: &[u64],
    boxes: &[u64],
    kept: &[(usize, usize)],
) -> Result<Vec<KernelValue>, Error> {
    let block = e.block_dims(site.results[0])?;
    let result_rank = site.dims(site.results[0])?.len();
    let apart: Vec<u64> = positions.iter().chain(boxes).copied().collect();
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

/// The place of every element of every box in the operand as one row, and one `tpu.dynamic_gather`.
fn by_places(site: &Site<'_>, e: &mut Emitter<'_>, g: &Gather) -> Result<Vec<KernelValue>, Error> {
    let (operand, start) = (site.operands[0], site.operands[1]);
    let dims = site.dims(operand)?;
    let sizes = site.dims(start)?;
    let strides = row_major_strides(&dims);
    let vector = g.index_vector_dim as usize;
    let mut positions = sizes.clone();
    if vector < positions.len() {
        positions.remove(vector);
    }
    let count: u64 = positions.iter().product();
    let indices = e.value(start)?;
    let element = e.element(indices);
    if !element.is_integer() || element.bits() > 32 {
        return Err(site.unsupported(format!("indices of type {element}")));
    }
    // [outer, components, inner].
    let (outer, inner) = if vector < sizes.len() {
        (
            sizes[..vector].iter().product(),
            sizes[vector + 1..].iter().product(),
        )
    } else {
        (count, 1)
    };
    let components = g.start_index_map.len() as u64;
    let indices = e.shape_cast(indices, &[outer, components, inner]);
    let row = [1, count];
    let mut place = e.splat(&row, &Tensor::from_i64s(&[], &ElementType::I32, &[0]));
    let mut add = |e: &mut Emitter<'_>, v: KernelValue, stride: i64| {
        let stride = e.splat(&row, &Tensor::from_i64s(&[], &ElementType::I32, &[stride]));
        let v = e.elementwise(Multiply, &[v, stride], ElementType::I32);
        place = e.elementwise(Add, &[place, v], ElementType::I32);
    };
    for (k, d) in g.start_index_map.iter().enumerate() {
        let d = *d as usize;
        let index = e.slice_along(indices, 1, k as u64, 1, 1);
        let index = e.shape_cast(index, &row);
        let index = clamped_all(e, index, dims[d] - g.slice_sizes[d] as u64);
        add(e, index, strides[d]);
    }
    for (d, of) in g
        .operand_batching_dims
        .iter()
        .zip(&g.start_indices_batching_dims)
    {
        let at = *of as usize - usize::from(*of > g.index_vector_dim);
        let number = e.iota(&positions, at);
        let number = e.shape_cast(number, &row);
        add(e, number, strides[*d as usize]);
    }
    let kept = kept(g, dims.len());
    let boxes: Vec<u64> = kept.iter().map(|(d, _)| g.slice_sizes[*d] as u64).collect();
    let own: Vec<i64> = coordinates(&boxes)
        .iter()
        .map(|at| {
            kept.iter()
                .zip(at)
                .map(|((d, _), i)| strides[*d] * *i as i64)
                .sum()
        })
        .collect();
    let all = [count, own.len() as u64];
    let place = e.shape_cast(place, &[count, 1]);
    let place = e.broadcast(place, &all);
    let own = e.constant(&Tensor::from_i64s(&[1, all[1]], &ElementType::I32, &own));
    let own = e.broadcast(own, &all);
    let place = e.elementwise(Add, &[place, own], ElementType::I32);
    let row = [1, all[0] * all[1]];
    let place = e.shape_cast(place, &row);
    let source = e.value(operand)?;
    let source = e.shape_cast(source, &[1, dims.iter().product()]);
    let ty = KernelType::vector(&row, e.element(source));
    let value =
        e.b.one(TpuOp::DynamicGather { dimension: 1 }, &[source, place], ty);
    arranged(site, e, value, &positions, &boxes, &kept)
}
