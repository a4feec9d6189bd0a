//! Ops on vectors: values and validity.

use super::{
    cell::{Lanes, no_tags},
    context::Context,
    elementwise,
    shadow::{self, Tag},
};
use crate::reference::fast;
use tileproof_dialect::{
    eval::{EvalContext, NoRegions, Stop},
    hlo::{self, dot_general::DotGeneral},
    op::Op,
    planes::Planes,
    tensor::{Tensor, Value, count, row_major_strides},
    types::{ElementType, TensorType, Type},
};

/// Elements of a vector register of 32-bit elements.
const REGISTER: u64 = 1024;

impl Context<'_> {
    /// The value of an elementwise op with one result.
    pub fn elementwise(
        &mut self,
        op: &hlo::Op,
        operands: Vec<Lanes>,
        results: &[Type],
        number: u32,
    ) -> Result<Lanes, Stop> {
        let tags = if operands.iter().all(|l| l.tags.is_none()) {
            None
        } else if let Some(terms) = &mut self.shadow.terms {
            terms.elementwise(op, &operands, results)
        } else {
            let joined = joined_tags(op, &operands);
            self.shadow.all_through(joined, number)
        };
        let values: Vec<Tensor> = operands.into_iter().map(|l| l.value).collect();
        let value = self.values(op, values, results)?;
        self.count_vector(value.len() as u64);
        Ok(Lanes { value, tags }.tidied())
    }

    fn values(
        &mut self,
        op: &hlo::Op,
        values: Vec<Tensor>,
        results: &[Type],
    ) -> Result<Tensor, Stop> {
        let mut cx = EvalContext {
            planes: self.planes,
            runner: &mut NoRegions,
            events: self.events,
        };
        elementwise::eval(op, values, results, &mut cx)
    }

    pub fn count_vector(&mut self, elements: u64) {
        self.counters.vector_ops += elements.div_ceil(REGISTER);
    }

    /// Folds dimensions `dims` of `x` in a tree; dropped from the result.
    pub fn fold(
        &mut self,
        combine: &hlo::Op,
        x: Lanes,
        dims: &[usize],
        number: u32,
    ) -> Result<Lanes, Stop> {
        let all = x.value.dims().to_vec();
        let strides = row_major_strides(&all);
        let kept: Vec<usize> = (0..all.len()).filter(|d| !dims.contains(d)).collect();
        let order: Vec<usize> = dims.iter().chain(&kept).copied().collect();
        if order.len() != all.len() || order.iter().any(|d| *d >= all.len()) {
            return Err(Stop::internal(
                "a reduction over dimensions the vector does not have",
            ));
        }
        let (sizes, steps): (Vec<u64>, Vec<i64>) =
            order.iter().map(|d| (all[*d], strides[*d])).unzip();
        let mut rows: u64 = dims.iter().map(|d| all[*d]).product();
        let kept: Vec<u64> = kept.iter().map(|d| all[*d]).collect();
        let width = count(&kept) as u64;
        if rows == 0 {
            return Err(Stop::internal("a reduction of no elements"));
        }
        let mut x = x.moved(|t| t.strided(&sizes, 0, &steps));
        let element = x.value.element().clone();
        while rows > 1 {
            let half = rows / 2;
            let part = |from: u64, n: u64| {
                x.moved(|t| t.strided(&[n * width], (from * width) as i64, &[1]))
            };
            let ty: Type = TensorType::new([half * width], element.clone()).into();
            let (a, b) = (part(0, half), part(half, half));
            let tail = (rows % 2 == 1).then(|| part(rows - 1, 1));
            let folded = self.elementwise(combine, vec![a, b], &[ty], number)?;
            x = match &tail {
                Some(tail) => concatenated(&[&folded, tail], 0)?,
                None => folded,
            };
            rows = half + rows % 2;
        }
        Ok(x.moved(|t| t.reshaped(&kept)))
    }

    /// accumulator + dot.
    pub fn matmul(
        &mut self,
        dot: &DotGeneral,
        operands: [Lanes; 3],
        results: &[Type],
        number: u32,
    ) -> Result<Lanes, Stop> {
        let [lhs, rhs, accumulator] = operands;
        let tags = if lhs.tags.is_none() && rhs.tags.is_none() {
            None
        } else if let Some(terms) = &mut self.shadow.terms {
            terms.product(dot, &lhs, &rhs)
        } else {
            let tags = product_tags(dot, &lhs, &rhs);
            self.shadow.all_through(tags, number)
        };
        let op = Op::Hlo(dot.clone().into());
        let values = [Value::from(lhs.value), Value::from(rhs.value)];
        let mut cx = EvalContext {
            planes: self.planes,
            runner: &mut NoRegions,
            events: self.events,
        };
        let out = match fast::eval(&op, &values, results, &mut cx) {
            Some(out) => out?,
            None => op.eval(&values, results, &mut cx)?,
        };
        let Some(Value::Tensor(product)) = out.into_iter().next() else {
            return Err(Stop::internal("a product that is no tensor"));
        };
        let product = Lanes {
            value: product,
            tags,
        };
        self.elementwise(
            &hlo::add::Add.into(),
            vec![accumulator, product],
            results,
            number,
        )
    }
}

/// Tags of what each element of an elementwise op hangs on.
fn joined_tags(op: &hlo::Op, operands: &[Lanes]) -> Option<Tensor> {
    let dims = operands
        .iter()
        .map(|l| l.value.dims())
        .find(|d| !d.is_empty())
        .unwrap_or(&[]);
    let tags = |l: &Lanes| {
        let t = l.tags.clone()?;
        Some(if t.dims() == dims {
            t
        } else {
            t.strided(dims, 0, &vec![0; dims.len()])
        })
    };
    let or_none = |l: &Lanes| tags(l).unwrap_or_else(|| no_tags(dims));
    match (op, operands) {
        (hlo::Op::Select(_), [p, a, b]) => {
            let picked = tileproof_dialect::hlo::elementwise::choice::select(
                p.value.as_slice(),
                p.value
                    .as_slice::<u8>()
                    .first()
                    .copied()
                    .filter(|_| p.value.rank() == 0),
                &or_none(a),
                &or_none(b),
            );
            shadow::union(tags(p), Some(&picked))
        }
        // A valid operand that decides alone.
        (hlo::Op::And(_), [a, b]) if *a.value.element() == ElementType::I1 => {
            Some(decided(a, b, 0))
        }
        (hlo::Op::Or(_), [a, b]) if *a.value.element() == ElementType::I1 => Some(decided(a, b, 1)),
        (_, all) => all
            .iter()
            .fold(None, |joined, l| shadow::union(joined, tags(l).as_ref())),
    }
}

/// Tags of a boolean op that a valid `deciding` on either side decides.
fn decided(a: &Lanes, b: &Lanes, deciding: u8) -> Tensor {
    let of = |l: &Lanes| l.tags.clone().unwrap_or_else(|| no_tags(l.value.dims()));
    let (x, y) = (of(a), of(b));
    let (p, q) = (a.value.as_slice::<u8>(), b.value.as_slice::<u8>());
    let all: Vec<Tag> = x
        .as_slice::<Tag>()
        .iter()
        .zip(y.as_slice::<Tag>())
        .zip(p.iter().zip(q))
        .map(|((x, y), (p, q))| match (*x, *y) {
            (0, _) if *p == deciding => 0,
            (_, 0) if *q == deciding => 0,
            (0, y) => y,
            (x, _) => x,
        })
        .collect();
    Tensor::from_slice(a.value.dims(), ElementType::U32, &all)
}

/// Tags of a product: an element hangs on a row of the left and a column of the right.
fn product_tags(dot: &DotGeneral, lhs: &Lanes, rhs: &Lanes) -> Option<Tensor> {
    let sizes = dot.canonical(lhs.value.dims(), rhs.value.dims())?;
    let lines = |tags: Option<Tensor>, lines: usize| match tags {
        Some(t) => t
            .as_slice::<Tag>()
            .chunks(sizes.k.max(1))
            .map(|line| line.iter().find(|t| **t != 0).copied().unwrap_or(0))
            .collect(),
        None => vec![0; lines],
    };
    let rows = lines(
        lhs.tags.as_ref().map(|t| sizes.lhs(t)),
        sizes.batch * sizes.m,
    );
    let columns = lines(
        rhs.tags.as_ref().map(|t| sizes.rhs(t)),
        sizes.batch * sizes.n,
    );
    let mut all = Vec::with_capacity(sizes.batch * sizes.m * sizes.n);
    for (i, row) in rows.iter().enumerate() {
        let b = i / sizes.m.max(1);
        all.extend(
            columns[b * sizes.n..(b + 1) * sizes.n]
                .iter()
                .map(|column| if *row != 0 { *row } else { *column }),
        );
    }
    Some(Tensor::from_slice(
        &sizes.result_dims,
        ElementType::U32,
        &all,
    ))
}

/// Parts one after the other along `dimension`.
pub fn concatenated(parts: &[&Lanes], dimension: usize) -> Result<Lanes, Stop> {
    let Some(first) = parts.first() else {
        return Err(Stop::internal("a concatenation of nothing"));
    };
    let mut dims = first.value.dims().to_vec();
    if dimension >= dims.len() {
        return Err(Stop::internal(
            "a concatenation along a dimension that is not there",
        ));
    }
    dims[dimension] = parts.iter().map(|p| p.value.dims()[dimension]).sum();
    let strides = row_major_strides(&dims);
    let planes = if parts.iter().all(|p| p.value.ring().is_some()) {
        Planes::IeeeAndRing
    } else {
        Planes::IeeeOnly
    };
    let mut out = Lanes::from(Tensor::zeros(&dims, first.value.element(), planes));
    let mut at = 0;
    for p in parts {
        let offset = at * strides[dimension];
        out = out.written(p, |t, p| t.written(p, offset, &strides));
        at += p.value.dims()[dimension] as i64;
    }
    Ok(out)
}

/// Rows and lanes of a register, and rows packed in a sublane.
fn register(x: &Lanes) -> Result<[u64; 3], Stop> {
    match *x.value.dims() {
        [rows, lanes] => Ok([rows, lanes, 1]),
        [rows, lanes, packing] => Ok([rows, lanes, packing]),
        _ => Err(Stop::internal("not a register")),
    }
}

/// Registers, the rows of one after those of the other, as a packed register of sizes `dims`.
pub fn packed(registers: &[&Lanes], dims: &[u64]) -> Result<Lanes, Stop> {
    let rows = concatenated(registers, 0)?;
    match *dims {
        [_, lanes, packing] if rows.value.len() == count(dims) => {
            let strides = [(lanes * packing) as i64, 1, lanes as i64];
            Ok(rows.moved(|t| t.strided(dims, 0, &strides)))
        }
        _ => Err(Stop::internal("registers that do not fill a packed one")),
    }
}

/// A grid of registers, row-major, as the block of sizes `dims`.
pub fn rolled(registers: &[&Lanes], dims: &[u64]) -> Result<Lanes, Stop> {
    let (Some(first), [_, columns]) = (registers.first(), dims) else {
        return Err(Stop::internal("a block that registers do not make"));
    };
    let [rows, lanes, packing] = register(first)?;
    let (height, across) = (rows * packing, columns / lanes.max(1));
    if count(dims) as u64 != height * lanes * registers.len() as u64 || across * lanes != *columns {
        return Err(Stop::internal("registers that do not fill the block"));
    }
    let planes = first.value.planes();
    let mut out = Lanes::from(Tensor::zeros(dims, first.value.element(), planes));
    let columns = *columns as i64;
    for (i, r) in (0u64..).zip(registers) {
        let offset = (i / across * height) as i64 * columns + (i % across * lanes) as i64;
        // Row s * packing + p of the tile is element (s, lane, p).
        let strides = [packing as i64 * columns, 1, columns];
        out = match packing {
            1 if r.value.rank() == 2 => out.written(r, |t, p| t.written(p, offset, &[columns, 1])),
            _ => out.written(r, |t, p| t.written(p, offset, &strides)),
        };
    }
    Ok(out)
}

/// The registers of sizes `dims` of a block, row-major.
pub fn unrolled(block: &Lanes, dims: &[u64]) -> Result<Vec<Lanes>, Stop> {
    let (rows, lanes, packing) = match *dims {
        [rows, lanes] => (rows, lanes, 1),
        [rows, lanes, packing] => (rows, lanes, packing),
        _ => return Err(Stop::internal("not a register")),
    };
    let [height, width] = *block.value.dims() else {
        return Err(Stop::internal("not a block"));
    };
    let tile = rows * packing;
    if tile == 0 || lanes == 0 || height % tile != 0 || width % lanes != 0 {
        return Err(Stop::internal("registers that do not fill the block"));
    }
    let columns = width as i64;
    let strides = [packing as i64 * columns, 1, columns];
    let strides: &[i64] = if dims.len() == 2 {
        &[columns, 1]
    } else {
        &strides
    };
    let mut out = vec![];
    for i in 0..height / tile {
        for j in 0..width / lanes {
            let offset = (i * tile) as i64 * columns + (j * lanes) as i64;
            out.push(block.moved(|t| t.strided(dims, offset, strides)));
        }
    }
    Ok(out)
}

/// Element i is element (i - amount) mod n along `dimension`.
pub fn rotated(x: &Lanes, dimension: usize, amount: i64) -> Result<Lanes, Stop> {
    let dims = x.value.dims();
    let Some(n) = dims.get(dimension).copied().filter(|n| *n > 0) else {
        return Ok(x.clone());
    };
    let amount = amount.rem_euclid(n as i64) as u64;
    if amount == 0 {
        return Ok(x.clone());
    }
    let strides = row_major_strides(dims);
    let part = |from: u64, size: u64| {
        let mut sizes = dims.to_vec();
        sizes[dimension] = size;
        x.moved(|t| t.strided(&sizes, from as i64 * strides[dimension], &strides))
    };
    concatenated(
        &[&part(n - amount, amount), &part(0, n - amount)],
        dimension,
    )
}

/// What a gather along `dimension` reads, and the first index out of range.
pub fn gathered(
    source: &Lanes,
    indices: &Lanes,
    dimension: usize,
    outside: impl FnOnce(&[u64]) -> Lanes,
) -> Result<(Lanes, Option<i64>), Stop> {
    let (from, dims) = (source.value.dims(), indices.value.dims());
    if from.len() != dims.len() || dimension >= dims.len() {
        return Err(Stop::internal("a gather of another rank"));
    }
    let agree = (0..dims.len()).all(|d| d == dimension || dims[d] == from[d]);
    if !agree {
        return Err(Stop::internal("a gather whose other dimensions differ"));
    }
    let (n, along) = (from[dimension] as usize, dims[dimension] as usize);
    let inner = count(&dims[dimension + 1..]);
    let mut wrong = None;
    let all = indices.value.to_i64s();
    let mut places: Vec<Option<usize>> = Vec::with_capacity(all.len());
    // Lines of `inner` elements: of each outer coordinate `along` of them, from `n` of the source.
    for (line, some) in all.chunks(inner.max(1)).enumerate() {
        let start = line / along.max(1) * n * inner;
        for (i, index) in some.iter().enumerate() {
            places.push(match usize::try_from(*index) {
                Ok(index) if index < n => Some(start + index * inner + i),
                Ok(_) | Err(_) => {
                    wrong = wrong.or(Some(*index));
                    None
                }
            });
        }
    }
    let inside: Vec<usize> = places.iter().map(|p| p.unwrap_or(0)).collect();
    let mut out = source.moved(|t| t.take(dims, &inside));
    if wrong.is_some() {
        let valid: Vec<u8> = places.iter().map(|p| u8::from(p.is_some())).collect();
        let mask = Lanes::from(Tensor::from_slice(dims, ElementType::I1, &valid));
        out = super::memory::masked(&mask, &out, &outside(dims));
    }
    let tags = shadow::union(indices.tags.clone(), out.tags.as_ref());
    Ok((
        Lanes {
            value: out.value,
            tags,
        },
        wrong,
    ))
}
/// Sets the elements of a row-major array whose coordinates are from `low` on and below `high`.
pub fn set_inside(all: &mut [u8], dims: &[u64], low: &[i64], high: &[i64]) {
    match (dims, low, high) {
        ([d, dims @ ..], [from, low @ ..], [to, high @ ..]) => {
            let each = all.len() / (*d as usize).max(1);
            let to = (*to).clamp(0, *d as i64) as usize;
            let from = (*from).clamp(0, to as i64) as usize;
            let part = &mut all[from * each..to * each];
            match dims {
                [] => part.fill(1),
                _ => part
                    .chunks_exact_mut(each.max(1))
                    .for_each(|part| set_inside(part, dims, low, high)),
            }
        }
        (_, _, _) => all.fill(1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tileproof_dialect::{builder::Sampler, tensor::row_major_strides};

    #[test]
    fn a_mask_holds_the_coordinates_between_its_ends() {
        let mut s = Sampler::new(3, 4);
        for _ in 0..300 {
            let dims: Vec<u64> = (0..s.range(1, 3)).map(|_| s.range(1, 5)).collect();
            let mut ends = || -> Vec<i64> {
                let one = |_: &u64| s.range(0, 9) as i64 - 2;
                dims.iter().map(one).collect()
            };
            let (low, high) = (ends(), ends());
            let strides = row_major_strides(&dims);
            let want: Vec<u8> = (0..dims.iter().product::<u64>() as i64)
                .map(|i| {
                    let inside = |d: usize| {
                        let at = i / strides[d] % dims[d] as i64;
                        low[d] <= at && at < high[d]
                    };
                    u8::from((0..dims.len()).all(inside))
                })
                .collect();
            let mut got = vec![0; want.len()];
            set_inside(&mut got, &dims, &low, &high);
            assert_eq!(got, want, "{dims:?} {low:?} {high:?}");
        }
    }
}
