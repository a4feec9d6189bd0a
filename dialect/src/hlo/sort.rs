//! `sort`: sorts lines of the inputs together by a comparator.
//!
//! Meaning: along `dimension` (counted from the end when negative), the tuples (inputs[0][..], inputs[1][..], ..) of each line in the order in which
//! comparator(lhs0, rhs0, lhs1, rhs1, ..) says whether the left one comes first; tuples it does not order keep their order, stable or not.
//! Inputs I1 inputs (N tensors), I2 dimension, I3 is_stable, I4 comparator. Constraints: C1 N >= 1; C2 types of results are those of inputs; C3 one shape;
//! C4 -R <= dimension < R; C5 comparator takes 2N scalars of the element types, in pairs, and gives one boolean.
//! Kind: selection: the comparator's booleans come from the IEEE plane, both planes move. Numerics: bits are kept. A comparator that is no strict weak
//! order gives some permutation, always the same.
//! Example: `%1:2 = hlo.sort(%0, %1) {dimension = 0, is_stable = true} comparator {..}`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{Bound, Bounded, unit_roundoff},
    builder::{ProgramBuilder, Provenance, Sampler},
    eval::{EvalContext, Stop},
    hlo::{
        compare::{Compare, Direction},
        movement, shape,
    },
    location::Location,
    op::{InferContext, Kind, Op, OpDef},
    program::Program,
    tensor::{Tensor, Value, row_major_strides},
    types::{Class, ElementType, Type},
};
use num_complex::Complex;

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Sort {
    pub dimension: i64,
    pub is_stable: bool,
}

/// Pairs compared at a distance before a whole line counts as undetermined.
const FARTHEST: usize = 64;

/// Inputs as lines: the sorted dimension last.
struct Lined {
    keys: Vec<Tensor>,
    /// Elements of a line.
    n: usize,
    /// Original dimensions, and for each the stride in the lined form.
    dims: Vec<u64>,
    strides: Vec<i64>,
}

impl Lined {
    fn new(inputs: &[&Tensor], d: usize) -> Result<Lined, Stop> {
        let dims = inputs.first().map_or(vec![], |t| t.dims().to_vec());
        if let Some(t) = inputs.iter().find(|t| t.dims() != dims) {
            return Err(movement::mismatch(format!("sort of {dims:?} and {}", t.ty())));
        }
        let strides = row_major_strides(&dims);
        let order: Vec<usize> = (0..dims.len()).filter(|i| *i != d).chain([d]).collect();
        let (lined_dims, from): (Vec<u64>, Vec<i64>) = order.iter().map(|i| (dims[*i], strides[*i])).unzip();
        let flat = |t: &&Tensor| t.strided(&lined_dims, 0, &from).reshaped(&[t.len() as u64]);
        let mut back = vec![0; dims.len()];
        order.iter().zip(row_major_strides(&lined_dims)).for_each(|(i, stride)| back[*i] = stride);
        Ok(Lined { keys: inputs.iter().map(flat).collect(), n: dims[d] as usize, dims, strides: back })
    }

    /// A lined tensor in the original order of dimensions.
    fn back(&self, t: &Tensor) -> Tensor {
        t.strided(&self.dims, 0, &self.strides)
    }

    fn len(&self) -> usize {
        self.keys.first().map_or(0, Tensor::len)
    }

    /// Positions in the order they come out: element i of the sorted lines is element `permutation[i]`. Merge sort: on each level every element of a left
    /// run finds by bisection how many of the right run come before it; all elements of all lines step together, one batch per step.
    fn permutation(&self, cx: &mut EvalContext<'_>) -> Result<Vec<usize>, Stop> {
        let mut permutation: Vec<usize> = (0..self.len()).collect();
        let mut keys = self.keys.clone();
        let mut width = 1;
        while width < self.n {
            let order = merged(&keys, self.n, width, cx)?;
            keys = keys.iter().map(|k| k.take(k.dims(), &order)).collect();
            permutation = order.iter().map(|i| permutation[*i]).collect();
            width *= 2;
        }
        Ok(permutation)
    }
}

/// Order of elements after merging neighbouring runs of `width` in lines of `n`.
fn merged(keys: &[Tensor], n: usize, width: usize, cx: &mut EvalContext<'_>) -> Result<Vec<usize>, Stop> {
    let len = keys.first().map_or(0, Tensor::len);
    // Start of each pair of runs, of its right run, and its end.
    let runs = || (0..len).step_by(n).flat_map(|line| (0..n).step_by(2 * width).map(move |a| (line + a, line + (a + width).min(n), line + (a + 2 * width).min(n))));
    // Per element of a left run: (itself, low, high) bracket the first of the right run that does not come before it.
    let mut searches: Vec<(usize, usize, usize)> = runs().filter(|(_, right, end)| right < end).flat_map(|(start, right, end)| (start..right).map(move |i| (i, right, end))).collect();
    loop {
        let active: Vec<usize> = (0..searches.len()).filter(|s| searches[*s].1 < searches[*s].2).collect();
        if active.is_empty() {
            break;
        }
        let middle = |(_, low, high): (usize, usize, usize)| low + (high - low) / 2;
        let right: Vec<usize> = active.iter().map(|s| middle(searches[*s])).collect();
        let left: Vec<usize> = active.iter().map(|s| searches[*s].0).collect();
        for (s, before) in active.iter().zip(compare(keys, &right, keys, &left, cx)?) {
            let m = middle(searches[*s]);
            if before {
                searches[*s].1 = m + 1;
            } else {
                searches[*s].2 = m;
            }
        }
    }
    let mut order = Vec::with_capacity(len);
    let mut found = searches.iter();
    for (start, right, end) in runs() {
        let mut next = right;
        for i in start..right {
            if right < end {
                // The running maximum keeps this a permutation under any comparator.
                let upto = found.next().map_or(right, |s| s.1).max(next);
                order.extend(next..upto);
                next = upto;
            }
            order.push(i);
        }
        order.extend(next..end);
    }
    Ok(order)
}

/// comparator(a[i], b[j]) for each pair of positions.
fn compare(a: &[Tensor], i: &[usize], b: &[Tensor], j: &[usize], cx: &mut EvalContext<'_>) -> Result<Vec<bool>, Stop> {
    let lanes = i.len();
    let taken = |t: &Tensor, at: &[usize]| t.take(&[lanes as u64], at);
    let arguments = a.iter().zip(b).flat_map(|(a, b)| [taken(a, i), taken(b, j)]).collect();
    let results = cx.run_lanes(0, lanes, arguments)?;
    match results.first() {
        Some(t) if t.len() == lanes && *t.element() == ElementType::I1 => Ok(t.as_slice::<u8>().iter().map(|v| *v != 0).collect()),
        Some(_) | None => Err(Stop::internal("a comparator gave no booleans")),
    }
}

/// Every element moved up (or down) by its error, rounded outward; integers in doubt become extreme.
pub fn moved_by(t: &Tensor, errors: &[f64], sign: f64) -> Tensor {
    let u = unit_roundoff(t.element());
    let outward = |v: f64, e: f64| if e == 0.0 { v } else { v + sign * (e * (1.0 + 4.0 * u) + 2.0 * u * v.abs() + 2.0 * crate::bound::subnormal_roundoff(t.element())) };
    match t.element().class() {
        Class::Float => {
            let values: Vec<f64> = t.to_f64s().iter().zip(errors).map(|(v, e)| outward(*v, *e)).collect();
            Tensor::from_f64s(t.dims(), t.element(), &values).with_ring(t.ring_buffer().cloned())
        }
        Class::Complex if *t.element() == ElementType::C64 => {
            let part = |v: f32, e: f64| outward(f64::from(v), e) as f32;
            let values: Vec<Complex<f32>> = t.as_slice::<Complex<f32>>().iter().zip(errors).map(|(z, e)| Complex::new(part(z.re, *e), part(z.im, *e))).collect();
            Tensor::from_slice(t.dims(), ElementType::C64, &values).with_ring(t.ring_buffer().cloned())
        }
        Class::Complex => {
            let values: Vec<Complex<f64>> = t.as_slice::<Complex<f64>>().iter().zip(errors).map(|(z, e)| Complex::new(outward(z.re, *e), outward(z.im, *e))).collect();
            Tensor::from_slice(t.dims(), ElementType::C128, &values).with_ring(t.ring_buffer().cloned())
        }
        Class::Boolean | Class::Signed | Class::Unsigned | Class::Quantized => {
            let extreme = Tensor::splat_f64(&[], t.element(), sign * f64::INFINITY);
            let in_doubt: Vec<usize> = (0..t.len()).filter(|i| errors[*i] > 0.0).collect();
            t.clone().put(&extreme.strided(&[in_doubt.len() as u64], 0, &[0]), &in_doubt)
        }
    }
}

/// Which positions of sorted lines may hold another element when the keys are off by their errors: pairs whose order changes when one is moved up and
/// the other down, and all between them.
fn in_doubt(keys: &[Tensor], errors: &[Vec<f64>], n: usize, cx: &mut EvalContext<'_>) -> Result<Vec<bool>, Stop> {
    let len = keys.first().map_or(0, Tensor::len);
    let moved = |sign: f64| -> Vec<Tensor> { keys.iter().zip(errors).map(|(k, e)| moved_by(k, e, sign)).collect() };
    let (up, down) = (moved(1.0), moved(-1.0));
    let mut doubt = vec![false; len];
    // Pairs (i, i + distance) are looked at while a shorter pair inside them overlaps.
    let mut active: Vec<usize> = (0..len).filter(|i| i % n + 1 < n).collect();
    for distance in 1.. {
        if active.is_empty() {
            break;
        }
        if distance > FARTHEST {
            active.iter().for_each(|i| doubt[i - i % n..i - i % n + n].fill(true));
            break;
        }
        let far: Vec<usize> = active.iter().map(|i| i + distance).collect();
        let mut overlaps = vec![false; active.len()];
        for (x, y) in [(&active, &far), (&far, &active)] {
            let plain = compare(keys, x, keys, y, cx)?;
            for (a, b) in [(&up, &down), (&down, &up)] {
                let shifted = compare(a, x, b, y, cx)?;
                overlaps.iter_mut().zip(plain.iter().zip(&shifted)).for_each(|(o, (p, s))| *o |= p != s);
            }
        }
        let mut next = vec![];
        for (i, _) in active.iter().zip(&overlaps).filter(|(_, o)| **o) {
            doubt[*i..=i + distance].fill(true);
            let line = i - i % n;
            next.extend((line.max(i.saturating_sub(1))..=*i).filter(|j| j + distance + 1 < line + n));
        }
        next.sort_unstable();
        next.dedup();
        active = next;
    }
    Ok(doubt)
}

impl Sort {
    /// The sorted dimension of tensors of `rank`.
    fn axis(&self, rank: usize) -> usize {
        (if self.dimension < 0 { self.dimension + rank as i64 } else { self.dimension }) as usize
    }
}

impl OpDef for Sort {
    const NAME: &'static str = "sort";
    const KIND: Kind = Kind::Selection;

    fn from_attributes(reader: &mut AttributeReader<'_>) -> Sort {
        Sort { dimension: reader.opt_int("dimension").unwrap_or(-1), is_stable: reader.opt_bool("is_stable").unwrap_or(false) }
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new().with("dimension", self.dimension).with("is_stable", self.is_stable)
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        let inputs = shape::tensors(cx, cx.operands.len())?;
        let Some(first) = inputs.first() else { return Err(vec!["C1: at least one input is needed".to_string()]) };
        let dims = shape::same_dims(&inputs).map_err(|e| vec![format!("C3: {}", e.join("; "))])?;
        let mut wrong = vec![];
        let rank = first.rank() as i64;
        if self.dimension < -rank || self.dimension >= rank {
            wrong.push(format!("C4: dimension {} is out of range of {first}", self.dimension));
        }
        let pairs: Vec<Type> = inputs.iter().flat_map(|t| [t.with_dims(vec![]).into(), t.with_dims(vec![]).into()]).collect();
        let fits = |a: &[Type], b: &[Type]| a.len() == b.len() && a.iter().zip(b).all(|(x, y)| x.compatible(y));
        let comparator = cx.regions.first();
        if !comparator.is_some_and(|c| fits(&c.arguments, &pairs) && fits(&c.results, &[Type::tensor([], ElementType::I1)])) {
            wrong.push(format!("C5: the comparator must take {} scalars in pairs and give one tensor<i1>", pairs.len()));
        }
        if !wrong.is_empty() {
            return Err(wrong);
        }
        Ok(inputs.iter().enumerate().map(|(i, t)| movement::or_declared(t.with_dims(dims.clone()), cx, i)).collect()) // C2
    }

    fn eval(&self, operands: &[Value], _: &[Type], cx: &mut EvalContext<'_>) -> Result<Vec<Value>, Stop> {
        let inputs = (0..operands.len()).map(|i| shape::operand(operands, i)).collect::<Result<Vec<_>, _>>()?;
        let lined = Lined::new(&inputs, self.axis(inputs.first().map_or(0, |t| t.rank())))?;
        let permutation = lined.permutation(cx)?;
        Ok(lined.keys.iter().map(|k| lined.back(&k.take(k.dims(), &permutation)).into()).collect())
    }

    /// The errors move along; where two elements may change places the result is undetermined between them.
    fn bound(&self, operands: &[Bounded<'_>], _: &[Type], values: &[Value], cx: &mut EvalContext<'_>) -> Result<Vec<Bound>, Stop> {
        if operands.iter().all(|o| o.error.is_exact()) {
            return Ok(vec![Bound::Exact; values.len()]);
        }
        let owned: Vec<Value> = operands.iter().map(|o| o.value.clone()).collect();
        let inputs = (0..owned.len()).map(|i| shape::operand(&owned, i)).collect::<Result<Vec<_>, _>>()?;
        let axis = self.axis(inputs.first().map_or(0, |t| t.rank()));
        let lined = Lined::new(&inputs, axis)?;
        if lined.len() == 0 {
            return Ok(vec![Bound::Exact; values.len()]);
        }
        let permutation = lined.permutation(cx)?;
        let as_tensor = |o: &Bounded<'_>, t: &Tensor| Tensor::from_f64s(t.dims(), &ElementType::F64, &(0..t.len()).map(|i| o.error.at(i)).collect::<Vec<_>>());
        let errors: Vec<Tensor> = operands.iter().zip(&inputs).map(|(o, t)| as_tensor(o, t)).collect();
        let errors: Vec<Vec<f64>> = Lined::new(&errors.iter().collect::<Vec<_>>(), axis)?.keys.iter().map(|e| permutation.iter().map(|i| e.as_slice::<f64>()[*i]).collect()).collect();
        let sorted: Vec<Tensor> = lined.keys.iter().map(|k| k.take(k.dims(), &permutation)).collect();
        let doubt = in_doubt(&sorted, &errors, lined.n, cx)?;
        let bound = |errors: &Vec<f64>| {
            let with_doubt: Vec<f64> = errors.iter().zip(&doubt).map(|(e, d)| if *d { f64::INFINITY } else { *e }).collect();
            Bound::absolute(lined.back(&Tensor::from_slice(&[with_doubt.len() as u64], ElementType::F64, &with_doubt)).as_slice::<f64>().to_vec())
        };
        Ok(errors.iter().map(bound).collect())
    }

    fn sample(s: &mut Sampler) -> Program {
        let mut dims = s.dims();
        dims.push(s.range(0, s.size));
        let inputs: Vec<Type> = (0..s.range(1, 3)).map(|_| Type::tensor(dims.clone(), s.element(|_| true))).collect();
        let dimension = s.range(0, 2 * dims.len() as u64 - 1) as i64 - dims.len() as i64;
        let op = Sort { dimension, is_stable: s.range(0, 1) == 1 };
        let scalar = |t: &Type| t.as_tensor().map(|t| Type::from(t.with_dims(vec![])));
        let pairs: Vec<Type> = inputs.iter().flat_map(|t| [scalar(t), scalar(t)]).flatten().collect();
        let mut b = ProgramBuilder::new("sample", Provenance::Number);
        let arguments = b.begin_function("main", &inputs, Location::default());
        let scalars = b.begin_region(&pairs);
        // The first input descends.
        let greater = Compare { comparison_direction: Direction::Gt, compare_type: None };
        let earlier = b.infer(Op::Hlo(greater.into()), &scalars[..2], &[], vec![], Location::default());
        let comparator = b.end_region(&earlier, Location::default());
        let results = b.infer(Op::Hlo(op.into()), &arguments, &[], vec![comparator], Location::default());
        b.end_function(&results, Location::default());
        b.program().clone()
    }
}

#[cfg(test)]
#[path = "sort_tests.rs"]
mod tests;
