//! The witness on a program: op by op, regions once per element.

use super::{
    movement::{self, indices, place},
    number::{Array, Number},
    scalar,
};
use std::collections::HashMap;
use tileproof_dialect::{
    hlo,
    op::Op,
    program::{OpId, Program, RegionId, ValueId},
    types::{Class, ElementType, Type},
};

/// What the witness says of a tensor: its numbers, and how near the judge must come, in units of the last place.
#[derive(Debug, Clone)]
pub struct Said {
    pub array: Array,
    pub ulp: f64,
}

type Values = HashMap<ValueId, Said>;

/// Results of the entry function; none where the program has an op that the witness does not know.
pub fn run(program: &Program, arguments: &[Array]) -> Option<Vec<Said>> {
    let said = arguments.iter().map(|a| Said {
        array: a.clone(),
        ulp: scalar::EXACT,
    });
    region(program, program.main().body, said.collect(), &Values::new())
}

/// Results of one op without regions.
pub fn single(program: &Program, id: OpId, operands: &[Array]) -> Option<Vec<Said>> {
    let said = operands.iter().map(|a| Said {
        array: a.clone(),
        ulp: scalar::EXACT,
    });
    op(program, id, &said.collect::<Vec<_>>(), &Values::new())
}

fn region(
    program: &Program,
    region: RegionId,
    arguments: Vec<Said>,
    outer: &Values,
) -> Option<Vec<Said>> {
    let r = program.region(region);
    let mut values = outer.clone();
    values.extend(r.arguments.iter().copied().zip(arguments));
    for id in &r.ops {
        let o = program.op(*id);
        let operands: Vec<Said> = o
            .operands
            .iter()
            .map(|v| values.get(v).cloned())
            .collect::<Option<_>>()?;
        if o.op.is_return() {
            return Some(operands);
        }
        let results = op(program, *id, &operands, &values)?;
        values.extend(o.results.iter().copied().zip(results));
    }
    None
}

fn shape(ty: &Type) -> Option<(Vec<usize>, ElementType)> {
    let t = ty.as_tensor()?;
    let dims = t.static_dims()?.iter().map(|n| *n as usize).collect();
    Some((dims, t.element.clone()))
}

fn op(program: &Program, id: OpId, x: &[Said], values: &Values) -> Option<Vec<Said>> {
    let o = program.op(id);
    let Op::Hlo(op) = &o.op;
    let (dims, ty) = shape(program.ty(*o.results.first()?))?;
    let arrays: Vec<Array> = x.iter().map(|s| s.array.clone()).collect();
    // Only the last op may round otherwise than the judge: what follows it could not be compared.
    if x.iter().any(|s| s.ulp > 0.0) {
        return None;
    }
    let exact = |array| Some(vec![Said { array, ulp: 0.0 }]);
    match op {
        hlo::Op::Constant(c) => exact(super::number::read(&c.value.to_tensor())?),
        hlo::Op::Reduce(r) => reduce(program, o.regions[0], &r.dimensions, &arrays, values),
        hlo::Op::ReduceWindow(w) => windows(program, o.regions[0], w, &arrays, &dims, values),
        hlo::Op::Scatter(s) => scatter(program, o.regions[0], s, &arrays, values),
        hlo::Op::Sort(s) => sort(program, o.regions[0], s, &arrays, values),
        hlo::Op::Map(_) => {
            let n = arrays.first()?.data.len();
            let mut out = vec![];
            for i in 0..n {
                let one: Vec<Array> = arrays.iter().map(|a| element(a, i)).collect();
                out.push(body(program, o.regions[0], &one, values)?[0].data[0]);
            }
            exact(Array {
                dims,
                ty,
                data: out,
            })
        }
        _ if !o.regions.is_empty() => None,
        other => match movement::apply(other, &arrays, &dims, &ty) {
            Some(array) => exact(array),
            None => elementwise(other, &arrays, dims, ty),
        },
    }
}

fn elementwise(op: &hlo::Op, x: &[Array], dims: Vec<usize>, ty: ElementType) -> Option<Vec<Said>> {
    let n: usize = dims.iter().product();
    let from = x.last()?.ty.clone();
    let mut ulp: f64 = 0.0;
    let mut data = vec![];
    for i in 0..n {
        // An operand of rank 0 stands for all elements: select, clamp.
        let one: Vec<Number> = x
            .iter()
            .map(|a| a.data.get(if a.dims.is_empty() { 0 } else { i }).copied())
            .collect::<Option<_>>()?;
        let (v, near) = scalar::apply(op, &one, &from, &ty)?;
        ulp = ulp.max(near);
        data.push(v);
    }
    // Nothing was computed: this says nothing of the op.
    if n == 0 {
        return None;
    }
    Some(vec![Said {
        array: Array { dims, ty, data },
        ulp,
    }])
}

fn element(a: &Array, i: usize) -> Array {
    Array {
        dims: vec![],
        ty: a.ty.clone(),
        data: vec![a.data[i]],
    }
}

/// A region on scalars.
fn body(program: &Program, id: RegionId, x: &[Array], values: &Values) -> Option<Vec<Array>> {
    let said = x
        .iter()
        .map(|a| Said {
            array: a.clone(),
            ulp: 0.0,
        })
        .collect();
    let out = region(program, id, said, values)?;
    out.into_iter()
        .map(|s| (s.ulp == 0.0).then_some(s.array))
        .collect()
}

/// Whether folding in any order gives the same: integers, or a choice of one of the two.
fn is_order_free(program: &Program, id: RegionId, ty: &ElementType) -> bool {
    let ops = &program.region(id).ops;
    let names: Vec<&str> = ops
        .iter()
        .map(|o| {
            let Op::Hlo(op) = &program.op(*o).op;
            op.name()
        })
        .collect();
    match names[..] {
        ["maximum" | "minimum" | "and" | "or" | "xor", "return"] => true,
        ["add" | "multiply", "return"] => ty.class() != Class::Float,
        _ => false,
    }
}

fn reduce(
    program: &Program,
    id: RegionId,
    dimensions: &[i64],
    x: &[Array],
    values: &Values,
) -> Option<Vec<Said>> {
    let [input, init] = x else { return None };
    if !is_order_free(program, id, &init.ty) {
        return None;
    }
    let kept: Vec<usize> = (0..input.dims.len())
        .filter(|d| !dimensions.contains(&(*d as i64)))
        .collect();
    let dims: Vec<usize> = kept.iter().map(|d| input.dims[*d]).collect();
    let n = dims.iter().product();
    let mut out: Vec<Array> = vec![element(init, 0); n];
    for (flat, index) in indices(&input.dims).iter().enumerate() {
        let to: Vec<i64> = kept.iter().map(|d| index[*d] as i64).collect();
        let at = place(&dims, &to)?;
        out[at] = body(
            program,
            id,
            &[out[at].clone(), element(input, flat)],
            values,
        )?
        .into_iter()
        .next()?;
    }
    joined(dims, out, &init.ty)
}

fn joined(dims: Vec<usize>, parts: Vec<Array>, ty: &ElementType) -> Option<Vec<Said>> {
    let data = parts.iter().map(|p| p.data[0]).collect();
    let ty = parts.first().map_or(ty.clone(), |p| p.ty.clone());
    let array = Array { dims, ty, data };
    Some(vec![Said { array, ulp: 0.0 }])
}

fn windows(
    program: &Program,
    id: RegionId,
    w: &hlo::reduce_window::ReduceWindow,
    x: &[Array],
    dims: &[usize],
    values: &Values,
) -> Option<Vec<Said>> {
    let [input, init] = x else { return None };
    if !is_order_free(program, id, &init.ty) {
        return None;
    }
    let sizes: Vec<usize> = w.window_dimensions.iter().map(|n| *n as usize).collect();
    let mut out = vec![];
    for index in indices(dims) {
        let mut all = element(init, 0);
        for k in indices(&sizes) {
            let mut from = vec![];
            for d in 0..dims.len() {
                let padded = index[d] as i64 * w.window_strides[d]
                    + k[d] as i64 * w.window_dilations[d]
                    - w.padding[2 * d];
                let base = w.base_dilations[d];
                from.push(if padded >= 0 && padded % base == 0 {
                    padded / base
                } else {
                    -1
                });
            }
            // Padding is the initial value once more.
            let next = match place(&input.dims, &from) {
                Some(p) => element(input, p),
                None => element(init, 0),
            };
            all = body(program, id, &[all, next], values)?
                .into_iter()
                .next()?;
        }
        out.push(all);
    }
    joined(dims.to_vec(), out, &init.ty)
}

fn scatter(
    program: &Program,
    id: RegionId,
    s: &hlo::scatter::Scatter,
    x: &[Array],
    values: &Values,
) -> Option<Vec<Said>> {
    let [input, starts, updates] = x else {
        return None;
    };
    let vector = s.index_vector_dim as usize;
    let mut out: Vec<Array> = (0..input.data.len()).map(|i| element(input, i)).collect();
    let mut hits = vec![0; out.len()];
    for (flat, i) in indices(&updates.dims).iter().enumerate() {
        let batch: Vec<i64> = (0..i.len())
            .filter(|d| !s.update_window_dims.contains(&(*d as i64)))
            .map(|d| i[d] as i64)
            .collect();
        let mut window = s.update_window_dims.iter().map(|d| i[*d as usize] as i64);
        let mut to = vec![0; input.dims.len()];
        for (d, place) in to.iter_mut().enumerate() {
            let d = d as i64;
            if !s.inserted_window_dims.contains(&d) && !s.input_batching_dims.contains(&d) {
                *place = window.next()?;
            }
        }
        for (k, d) in s.scatter_dims_to_operand_dims.iter().enumerate() {
            let mut at = batch.clone();
            if vector < starts.dims.len() {
                at.insert(vector, k as i64);
            }
            let start = starts.int(place(&starts.dims, &at)?);
            to[*d as usize] += start.clamp(-(1 << 40), 1 << 40) as i64;
        }
        for (o, b) in s
            .input_batching_dims
            .iter()
            .zip(&s.scatter_indices_batching_dims)
        {
            let b = *b as usize;
            to[*o as usize] += batch[b - usize::from(b > vector)];
        }
        if let Some(p) = place(&input.dims, &to) {
            hits[p] += 1;
            out[p] = body(
                program,
                id,
                &[out[p].clone(), element(updates, flat)],
                values,
            )?
            .into_iter()
            .next()?;
        }
    }
    // Many updates of one element may be joined as a tree.
    if hits.iter().any(|n| *n > 16) {
        return None;
    }
    joined(input.dims.clone(), out, &input.ty)
}

fn sort(
    program: &Program,
    id: RegionId,
    s: &hlo::sort::Sort,
    x: &[Array],
    values: &Values,
) -> Option<Vec<Said>> {
    // NaN has no order by most comparators: then any permutation will do.
    let has_nan = |a: &Array| {
        a.data
            .iter()
            .any(|n| matches!(n, Number::Real(v) if v.is_nan()))
    };
    if x.iter().any(has_nan) {
        return None;
    }
    let dims = x.first()?.dims.clone();
    let rank = dims.len() as i64;
    let d = (s.dimension + if s.dimension < 0 { rank } else { 0 }) as usize;
    let before = |a: &[Array], b: &[Array]| -> Option<bool> {
        let pairs: Vec<Array> = a
            .iter()
            .zip(b)
            .flat_map(|(x, y)| [x.clone(), y.clone()])
            .collect();
        Some(body(program, id, &pairs, values)?.first()?.data[0] == Number::Int(1))
    };
    let mut out: Vec<Array> = x.to_vec();
    let mut lines = dims.clone();
    *lines.get_mut(d)? = 1;
    for line in indices(&lines) {
        let at: Vec<usize> = (0..dims[d])
            .map(|k| {
                let mut i: Vec<i64> = line.iter().map(|n| *n as i64).collect();
                i[d] = k as i64;
                place(&dims, &i)
            })
            .collect::<Option<_>>()?;
        // Insertion: each element goes before the first that it precedes, from the right.
        let mut sorted: Vec<Vec<Array>> = vec![];
        for p in &at {
            let new: Vec<Array> = x.iter().map(|a| element(a, *p)).collect();
            let mut to = sorted.len();
            while to > 0 && before(&new, &sorted[to - 1])? {
                to -= 1;
            }
            sorted.insert(to, new);
        }
        for (p, tuple) in at.iter().zip(sorted) {
            for (a, v) in out.iter_mut().zip(tuple) {
                a.data[*p] = v.data[0];
            }
        }
    }
    Some(
        out.into_iter()
            .map(|array| Said { array, ulp: 0.0 })
            .collect(),
    )
}
