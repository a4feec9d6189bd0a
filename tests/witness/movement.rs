//! Movement, contraction and reduction of the witness: loops over indices, from the specification.

use super::number::{Array, Number, rounded, wrapped};
use tileproof_dialect::{
    hlo,
    types::{Class, ElementType},
};

/// All indices of a shape, last dimension fastest.
pub fn indices(dims: &[usize]) -> Vec<Vec<usize>> {
    let mut out = vec![vec![]];
    for n in dims {
        out = out
            .into_iter()
            .flat_map(|i| (0..*n).map(move |j| [i.clone(), vec![j]].concat()))
            .collect();
    }
    out
}

/// Place of an index; none outside.
pub fn place(dims: &[usize], index: &[i64]) -> Option<usize> {
    let mut flat = 0;
    for (n, i) in dims.iter().zip(index) {
        flat = flat * n + usize::try_from(*i).ok().filter(|i| i < n)?;
    }
    Some(flat)
}

fn signed(index: &[usize]) -> Vec<i64> {
    index.iter().map(|i| *i as i64).collect()
}

/// Result of a movement, filled by a function from the result's index to the element.
fn filled(
    dims: &[usize],
    ty: &ElementType,
    element: impl Fn(&[i64]) -> Option<Number>,
) -> Option<Array> {
    let data = indices(dims)
        .iter()
        .map(|i| element(&signed(i)))
        .collect::<Option<_>>()?;
    Some(Array {
        dims: dims.to_vec(),
        ty: ty.clone(),
        data,
    })
}

/// A start index as the op clamps it.
fn clamped(start: i128, size: usize, window: usize) -> i64 {
    start.clamp(0, size as i128 - window as i128) as i64
}

/// Result of a movement op; none for an op the witness does not know.
pub fn apply(op: &hlo::Op, x: &[Array], dims: &[usize], ty: &ElementType) -> Option<Array> {
    let at = |a: &Array, index: &[i64]| place(&a.dims, index).map(|p| a.data[p]);
    let first = x.first();
    match op {
        hlo::Op::Slice(s) => filled(dims, ty, |i| {
            let from: Vec<i64> = (0..i.len())
                .map(|d| s.start_indices[d] + i[d] * s.strides[d])
                .collect();
            at(first?, &from)
        }),
        hlo::Op::Pad(p) => filled(dims, ty, |i| {
            let mut from = vec![];
            for (d, at) in i.iter().enumerate() {
                let (k, step) = (at - p.edge_padding_low[d], p.interior_padding[d] + 1);
                from.push(if k % step == 0 { k / step } else { -1 });
            }
            at(first?, &from).or(Some(x[1].data[0]))
        }),
        hlo::Op::BroadcastInDim(b) => filled(dims, ty, |i| {
            let a = first?;
            let from: Vec<i64> = (0..a.dims.len())
                .map(|d| {
                    if a.dims[d] == 1 {
                        0
                    } else {
                        i[b.broadcast_dimensions[d] as usize]
                    }
                })
                .collect();
            at(a, &from)
        }),
        hlo::Op::Broadcast(_) => filled(dims, ty, |i| {
            let a = first?;
            at(a, &i[i.len() - a.dims.len()..])
        }),
        hlo::Op::Transpose(t) => filled(dims, ty, |i| {
            let mut from = vec![0; i.len()];
            for (d, p) in t.permutation.iter().enumerate() {
                from[*p as usize] = i[d];
            }
            at(first?, &from)
        }),
        hlo::Op::Reverse(r) => filled(dims, ty, |i| {
            let from: Vec<i64> = (0..i.len())
                .map(|d| {
                    if r.dimensions.contains(&(d as i64)) {
                        dims[d] as i64 - 1 - i[d]
                    } else {
                        i[d]
                    }
                })
                .collect();
            at(first?, &from)
        }),
        hlo::Op::Reshape(_) | hlo::Op::Copy(_) => Some(Array {
            dims: dims.to_vec(),
            ty: ty.clone(),
            data: first?.data.clone(),
        }),
        hlo::Op::Concatenate(c) => filled(dims, ty, |i| {
            let d = c.dimension as usize;
            let mut index = i.to_vec();
            for a in x {
                if index[d] < a.dims[d] as i64 {
                    return at(a, &index);
                }
                index[d] -= a.dims[d] as i64;
            }
            None
        }),
        hlo::Op::Iota(iota) => filled(dims, ty, |i| {
            let n = i[iota.iota_dimension as usize];
            Some(match ty.class() {
                Class::Float => Number::Real(rounded(ty, n as f64)),
                Class::Complex => Number::Complex(rounded(&ty.complex_part()?, n as f64), 0.0),
                _ => Number::Int(wrapped(ty, i128::from(n))),
            })
        }),
        hlo::Op::DynamicSlice(s) => filled(dims, ty, |i| {
            let a = first?;
            let from: Vec<i64> = (0..i.len())
                .map(|d| i[d] + clamped(x[1 + d].int(0), a.dims[d], s.slice_sizes[d] as usize))
                .collect();
            at(a, &from)
        }),
        hlo::Op::DynamicUpdateSlice(_) => filled(dims, ty, |i| {
            let (a, u) = (first?, &x[1]);
            let from: Vec<i64> = (0..i.len())
                .map(|d| i[d] - clamped(x[2 + d].int(0), a.dims[d], u.dims[d]))
                .collect();
            at(u, &from).or_else(|| at(a, i))
        }),
        hlo::Op::Gather(g) => filled(dims, ty, |i| gathered(g, first?, &x[1], i)),
        hlo::Op::DotGeneral(d) if d.algorithm.is_none() => dot(d, first?, &x[1], dims, ty),
        hlo::Op::Convolution(c) => convolution(c, first?, &x[1], dims, ty),
        _ => None,
    }
}

fn gathered(g: &hlo::gather::Gather, a: &Array, starts: &Array, i: &[i64]) -> Option<Number> {
    let vector = g.index_vector_dim as usize;
    let batch: Vec<i64> = (0..i.len())
        .filter(|d| !g.offset_dims.contains(&(*d as i64)))
        .map(|d| i[d])
        .collect();
    let mut offsets = g.offset_dims.iter().map(|d| i[*d as usize]);
    let mut from = vec![0; a.dims.len()];
    for (d, place) in from.iter_mut().enumerate() {
        let dropped = g.collapsed_slice_dims.contains(&(d as i64))
            || g.operand_batching_dims.contains(&(d as i64));
        if !dropped {
            *place = offsets.next()?;
        }
    }
    for (k, d) in g.start_index_map.iter().enumerate() {
        let mut at = batch.clone();
        if vector < starts.dims.len() {
            at.insert(vector, k as i64);
        }
        let d = *d as usize;
        let start = starts.int(place(&starts.dims, &at)?);
        from[d] += clamped(start, a.dims[d], g.slice_sizes[d].max(1) as usize);
    }
    for (o, s) in g
        .operand_batching_dims
        .iter()
        .zip(&g.start_indices_batching_dims)
    {
        let s = *s as usize;
        from[*o as usize] += batch[s - usize::from(s > vector)];
    }
    place(&a.dims, &from).map(|p| a.data[p])
}

/// Sums of products. Integers are exact and wrapped at the end; floats are summed in f64 and rounded once, which is the sum where nothing else is rounded.
fn sum(products: &[(Number, Number)], ty: &ElementType) -> Option<Number> {
    let mut int = 0i128;
    let mut real = 0f64;
    for pair in products {
        match pair {
            (Number::Int(a), Number::Int(b)) => {
                int = int.wrapping_add((*a as u128).wrapping_mul(*b as u128) as i128);
            }
            (Number::Real(a), Number::Real(b)) => real += a * b,
            _ => return None,
        }
    }
    Some(match ty.class() {
        Class::Signed | Class::Unsigned => Number::Int(wrapped(ty, int)),
        Class::Boolean => Number::Int(i128::from(int != 0)),
        Class::Float => Number::Real(rounded(ty, real)),
        Class::Complex | Class::Quantized => return None,
    })
}

fn dot(
    d: &hlo::dot_general::DotGeneral,
    x: &Array,
    y: &Array,
    dims: &[usize],
    ty: &ElementType,
) -> Option<Array> {
    let free = |a: &Array, taken: [&Vec<i64>; 2]| -> Vec<usize> {
        (0..a.dims.len())
            .filter(|i| taken.iter().all(|t| !t.contains(&(*i as i64))))
            .collect()
    };
    let (lb, lc) = (&d.lhs_batching_dimensions, &d.lhs_contracting_dimensions);
    let (rb, rc) = (&d.rhs_batching_dimensions, &d.rhs_contracting_dimensions);
    let (lf, rf) = (free(x, [lb, lc]), free(y, [rb, rc]));
    let sizes: Vec<usize> = lc.iter().map(|c| x.dims[*c as usize]).collect();
    filled(dims, ty, |i| {
        let mut products = vec![];
        for k in indices(&sizes) {
            let (mut l, mut r) = (vec![0; x.dims.len()], vec![0; y.dims.len()]);
            for (n, (a, b)) in lb.iter().zip(rb).enumerate() {
                (l[*a as usize], r[*b as usize]) = (i[n], i[n]);
            }
            for (n, a) in lf.iter().enumerate() {
                l[*a] = i[lb.len() + n];
            }
            for (n, b) in rf.iter().enumerate() {
                r[*b] = i[lb.len() + lf.len() + n];
            }
            for (n, (a, b)) in lc.iter().zip(rc).enumerate() {
                (l[*a as usize], r[*b as usize]) = (k[n] as i64, k[n] as i64);
            }
            products.push((x.data[place(&x.dims, &l)?], y.data[place(&y.dims, &r)?]));
        }
        sum(&products, ty)
    })
}

fn convolution(
    c: &hlo::convolution::Convolution,
    x: &Array,
    k: &Array,
    dims: &[usize],
    ty: &ElementType,
) -> Option<Array> {
    let spatial = c.kernel_spatial_dimensions.len();
    let sizes: Vec<usize> = c
        .kernel_spatial_dimensions
        .iter()
        .map(|d| k.dims[*d as usize])
        .collect();
    let features = k.dims[c.kernel_input_feature_dimension as usize] as i64;
    let outputs = k.dims[c.kernel_output_feature_dimension as usize] as i64;
    let batches = x.dims[c.input_batch_dimension as usize] as i64;
    filled(dims, ty, |i| {
        let (b, f) = (
            i[c.output_batch_dimension as usize],
            i[c.output_feature_dimension as usize],
        );
        let group = f / (outputs / c.feature_group_count).max(1);
        let batch_group = f / (outputs / c.batch_group_count).max(1);
        let mut products = vec![];
        for w in indices(&sizes) {
            for feature in 0..features {
                let (mut at, mut of) = (vec![0; x.dims.len()], vec![0; k.dims.len()]);
                at[c.input_batch_dimension as usize] = b + batch_group
                    * (batches / c.batch_group_count)
                    * i64::from(c.batch_group_count > 1);
                at[c.input_feature_dimension as usize] =
                    feature + group * features * i64::from(c.feature_group_count > 1);
                of[c.kernel_input_feature_dimension as usize] = feature;
                of[c.kernel_output_feature_dimension as usize] = f;
                let mut inside = true;
                for d in 0..spatial {
                    let window = w[d] as i64;
                    let o = i[c.output_spatial_dimensions[d] as usize];
                    let padded =
                        o * c.window_strides[d] + window * c.rhs_dilation[d] - c.padding[2 * d];
                    inside &= padded >= 0 && padded % c.lhs_dilation[d] == 0;
                    at[c.input_spatial_dimensions[d] as usize] =
                        padded.div_euclid(c.lhs_dilation[d]);
                    of[c.kernel_spatial_dimensions[d] as usize] = if c.window_reversal[d] {
                        sizes[d] as i64 - 1 - window
                    } else {
                        window
                    };
                }
                if let (true, Some(p)) = (inside, place(&x.dims, &at)) {
                    products.push((x.data[p], k.data[place(&k.dims, &of)?]));
                }
            }
        }
        sum(&products, ty)
    })
}
