//! `top_k`: the k largest (or smallest) elements of each line and where they stand (chlo, HLO).
//!
//! Meaning: along the last dimension, values[.., j] is the j-th largest element of operand[.., :] in total order (-NaN < -inf < .. < -0 < +0 < .. < inf <
//! NaN), the smallest with largest = false, and indices[.., j] is its position; of equal elements the lower position comes first.
//! Inputs I1 operand, I2 k, I3 largest (optional, default true). Constraints: C1 rank(operand) >= 1 and elements are integers or floats; C2 0 <= k <= the
//! last size; C3 values have the operand's type but for the last size k; C4 indices are tensor<i32> of that shape (HLO: any integer type as declared).
//! Kind: selection: chosen on the IEEE plane. Numerics: bits are kept.
//! Example: `%1:2 = hlo.top_k %0 {k = 2} : (tensor<3x5xf32>) -> (tensor<3x2xf32>, tensor<3x2xi32>)`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{Bound, Bounded},
    builder::Sampler,
    eval::{EvalContext, Stop},
    hlo::{movement, shape},
    op::{InferContext, Kind, OpDef},
    program::Program,
    tensor::{Tensor, Value},
    types::{Class, Dim, ElementType, TensorType, Type},
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TopK {
    pub k: i64,
    pub largest: Option<bool>,
}

/// Keys whose order as integers is the total order of the elements.
fn total_order(t: &Tensor) -> Result<Vec<i64>, Stop> {
    // Bits of a sign-magnitude number as a number in two's complement.
    let ordered = |bits: i64| bits ^ ((bits >> 63) as u64 >> 1) as i64;
    match t.element() {
        ElementType::U64 => Ok(t.as_slice::<u64>().iter().map(|v| (*v ^ 1 << 63) as i64).collect()),
        ElementType::F32 => Ok(t.as_slice::<u32>().iter().map(|v| ordered(i64::from(*v) << 32)).collect()),
        ElementType::F64 => Ok(t.as_slice::<i64>().iter().map(|v| ordered(*v)).collect()),
        ElementType::F16 | ElementType::BF16 => Ok(t.as_slice::<u16>().iter().map(|v| ordered(i64::from(*v) << 48)).collect()),
        ElementType::F8E8M0FNU => Ok(t.as_slice::<u8>().iter().map(|v| i64::from(*v)).collect()),
        e => match e.class() {
            Class::Boolean | Class::Signed | Class::Unsigned => Ok(t.to_i64s().into_owned()),
            // At most 8 bits: sign and magnitude.
            Class::Float => Ok(t.as_slice::<u8>().iter().map(|v| ordered(i64::from(*v) << (64 - e.bits()))).collect()),
            Class::Complex | Class::Quantized => Err(Stop::unsupported(format!("top_k of {e}"))),
        },
    }
}

impl TopK {
    fn is_largest(&self) -> bool {
        self.largest.unwrap_or(true)
    }

    /// Size of a line and, line by line, the positions chosen.
    fn chosen(&self, t: &Tensor) -> Result<(usize, Vec<usize>), Stop> {
        let n = t.dims().last().copied().unwrap_or(0) as usize;
        let k = self.k as usize;
        if k > n {
            return Err(movement::mismatch(format!("top {k} of {}", t.ty())));
        }
        let (keys, largest) = (total_order(t)?, self.is_largest());
        let mut out = Vec::with_capacity(t.len() / n.max(1) * k);
        if k == 0 {
            return Ok((n, out));
        }
        for line in keys.chunks_exact(n) {
            let by_rank = |a: &usize, b: &usize| {
                let keys = line[*a].cmp(&line[*b]);
                (if largest { keys.reverse() } else { keys }).then(a.cmp(b))
            };
            let mut order: Vec<usize> = (0..n).collect();
            if k < n {
                order.select_nth_unstable_by(k - 1, by_rank);
            }
            order[..k].sort_unstable_by(by_rank);
            out.extend_from_slice(&order[..k]);
        }
        Ok((n, out))
    }
}

impl OpDef for TopK {
    const NAME: &'static str = "top_k";
    const KIND: Kind = Kind::Selection;

    fn from_attributes(reader: &mut AttributeReader<'_>) -> TopK {
        TopK { k: reader.int("k"), largest: reader.opt_bool("largest").filter(|largest| !largest) }
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new().with("k", self.k).with_some("largest", self.largest)
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        let operand = shape::tensors(cx, 1)?[0];
        let Some(last) = operand.dims.last() else { return Err(vec![format!("C1: rank of {operand} must be at least 1")]) };
        let mut wrong = vec![];
        if !operand.element.is_float() && !operand.element.is_integer() {
            wrong.push(format!("C1: elements of {operand} must be integers or floats"));
        }
        if self.k < 0 || matches!(last, Dim::Static(n) if self.k as u64 > *n) {
            wrong.push(format!("C2: k {} does not fit {operand}", self.k));
        }
        let declared = cx.declared.get(1).and_then(Type::as_tensor).map(|t| t.element.clone());
        if declared.as_ref().is_some_and(|e| !e.is_integer()) {
            wrong.push("C4: indices must be integers".to_string());
        }
        if !wrong.is_empty() {
            return Err(wrong);
        }
        let mut dims = operand.dims.clone();
        dims.pop();
        dims.push(Dim::Static(self.k as u64));
        let indices = TensorType { dims: dims.clone(), element: declared.unwrap_or(ElementType::I32), layout: None };
        Ok(vec![movement::or_declared(operand.with_dims(dims), cx, 0), movement::or_declared(indices, cx, 1)]) // C3
    }

    fn eval(&self, operands: &[Value], results: &[Type], _: &mut EvalContext<'_>) -> Result<Vec<Value>, Stop> {
        let operand = shape::operand(operands, 0)?;
        let (n, chosen) = self.chosen(operand)?;
        let mut dims = operand.dims().to_vec();
        dims.pop();
        dims.push(self.k as u64);
        let per_line = (self.k as usize).max(1);
        let at: Vec<usize> = chosen.iter().enumerate().map(|(i, c)| i / per_line * n + c).collect();
        let element = results.get(1).and_then(Type::as_tensor).map_or(ElementType::I32, |t| t.element.clone());
        let indices: Vec<i64> = chosen.iter().map(|c| *c as i64).collect();
        Ok(vec![operand.take(&dims, &at).into(), Tensor::from_i64s(&dims, &element, &indices).into()])
    }

    /// Each order statistic is off by at most the largest error of its line; an index is undetermined where its element may change places with another.
    fn bound(&self, operands: &[Bounded<'_>], _: &[Type], values: &[Value], _: &mut EvalContext<'_>) -> Result<Vec<Bound>, Stop> {
        let [operand] = operands else { return Err(Stop::internal("top_k without operand")) };
        let Some(t) = operand.value.as_tensor() else { return Err(Stop::internal("top_k of no tensor")) };
        if operand.error.is_exact() {
            return Ok(vec![Bound::Exact; values.len()]);
        }
        let (n, chosen) = self.chosen(t)?;
        let all = TopK { k: n as i64, ..self.clone() }.chosen(t)?.1;
        let sign = if self.is_largest() { -1.0 } else { 1.0 };
        let x = t.to_f64s();
        let (mut of_values, mut of_indices) = (vec![0.0; chosen.len()], vec![0.0; chosen.len()]);
        for (line, order) in all.chunks_exact(n.max(1)).enumerate().filter(|_| self.k > 0) {
            // Ascending intervals in sorted order.
            let interval = |p: &usize| {
                let (v, e) = (sign * x[line * n + p], operand.error.at(line * n + p));
                if v.is_nan() && e > 0.0 { (f64::NEG_INFINITY, f64::INFINITY) } else { (v - e, v + e) }
            };
            let intervals: Vec<(f64, f64)> = order.iter().map(interval).collect();
            let error = |p: usize| operand.error.at(line * n + order[p]);
            let largest_error = (0..n).map(error).fold(0.0, f64::max);
            // Reach of the elements after p (before p): of all, and of the inexact ones, for exact elements never change places among themselves.
            let mut later = vec![[f64::INFINITY; 2]; n + 1];
            for p in (0..n).rev() {
                let low = intervals[p].0;
                later[p] = [later[p + 1][0].min(low), if error(p) > 0.0 { later[p + 1][1].min(low) } else { later[p + 1][1] }];
            }
            let mut earlier = [f64::NEG_INFINITY; 2];
            for (p, (low, high)) in intervals.iter().enumerate().take(self.k as usize) {
                let of = usize::from(error(p) == 0.0);
                let overlaps = (p > 0 && earlier[of] >= *low && earlier[of] > f64::NEG_INFINITY) || (later[p + 1][of] <= *high && later[p + 1][of] < f64::INFINITY);
                let i = line * self.k as usize + p;
                of_indices[i] = if overlaps { f64::INFINITY } else { 0.0 };
                of_values[i] = if t.element().is_float() { largest_error } else { of_indices[i] };
                earlier = [earlier[0].max(*high), if error(p) > 0.0 { earlier[1].max(*high) } else { earlier[1] }];
            }
        }
        Ok(vec![Bound::absolute(of_values), Bound::absolute(of_indices)])
    }

    fn sample(s: &mut Sampler) -> Program {
        let (mut dims, element) = (s.dims(), s.element(|e| e.is_float() || e.is_integer()));
        dims.push(s.range(0, s.size));
        let k = s.range(0, dims.last().copied().unwrap_or(0)) as i64;
        let largest = *s.pick(&[None, Some(false)]);
        Sampler::single(TopK { k, largest }, &[Type::tensor(dims, element)], &[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval_test_runner::*;

    fn top(k: i64, largest: Option<bool>, x: &Tensor) -> (Vec<f64>, Vec<i64>) {
        let out = eval(TopK { k, largest }, std::slice::from_ref(x), &[]).unwrap();
        (out[0].to_f64s().into_owned(), out[1].to_i64s().into_owned())
    }

    #[test]
    fn ties_take_the_lower_index() {
        let x = floats(&[2, 4], &[1., 3., 3., 2., 5., 5., 5., 9.]);
        assert_eq!(top(3, None, &x), (vec![3., 3., 2., 9., 5., 5.], vec![1, 2, 3, 3, 0, 1]));
        assert_eq!(top(2, Some(false), &x), (vec![1., 2., 5., 5.], vec![0, 3, 0, 1]));
        assert_eq!(top(0, None, &x).1, Vec::<i64>::new());
        let out = eval(TopK { k: 1, largest: None }, &[x], &[]).unwrap();
        assert_eq!((out[0].dims(), out[0].ring()), (&[2u64, 1][..], Some(&[3, 9][..])));
    }

    #[test]
    fn total_order_of_floats_and_unsigned_integers() {
        let x = floats(&[6], &[-0.0, 0.0, f64::NAN, f64::INFINITY, -f64::NAN, -1.0]);
        assert_eq!(top(6, None, &x).1, [2, 3, 1, 0, 5, 4]);
        for narrow in [ElementType::F16, ElementType::BF16, ElementType::F8E5M2] {
            let x = Tensor::from_f64s(&[4], &narrow, &[-2., 0.5, -0.5, 1.]);
            assert_eq!(top(4, None, &x).1, [3, 1, 2, 0]);
        }
        assert_eq!(top(3, None, &Tensor::from_slice(&[3], ElementType::U64, &[1u64, u64::MAX, 1 << 63])).1, [1, 2, 0]);
        assert_eq!(top(3, None, &Tensor::from_slice(&[3], ElementType::I64, &[1i64, i64::MIN, i64::MAX])).1, [2, 0, 1]);
    }

    #[test]
    fn bound_is_undetermined_where_elements_overlap() {
        let bound = |errors: Vec<f64>, k: i64| {
            let x: Value = floats(&[4], &[1., 4., 2., 3.]).into();
            let error = Bound::absolute(errors);
            let op = TopK { k, largest: None };
            let (mut runner, mut events) = (crate::eval::NoRegions, crate::eval::Events::default());
            let mut cx = EvalContext { planes: crate::planes::Planes::IeeeOnly, runner: &mut runner, events: &mut events };
            let values = op.eval(std::slice::from_ref(&x), &[], &mut cx).unwrap();
            op.bound(&[Bounded { value: &x, error: &error }], &[], &values, &mut cx).unwrap()
        };
        // 4, 3, then 2 +- 0.6 and 1 +- 0.6 overlap.
        let b = bound(vec![0.6, 0., 0.6, 0.], 3);
        assert_eq!([b[0].at(0), b[0].at(2)], [0.6, 0.6]);
        assert_eq!([b[1].at(0), b[1].at(1), b[1].at(2)], [0., 0., f64::INFINITY]);
        // An element that is not chosen may reach in.
        let b = bound(vec![5., 0., 0., 0.], 1);
        assert_eq!(b[1].at(0), f64::INFINITY);
    }

    #[test]
    fn each_constraint_is_checked() {
        let op = |k| TopK { k, largest: None };
        assert_violates("C1", op(0), &[f32s(&[])], &[]);
        assert_violates("C1", op(1), &[Type::tensor([2], ElementType::C64)], &[]);
        assert_violates("C2", op(3), &[f32s(&[2])], &[]);
        assert_violates("C2", op(-1), &[f32s(&[2])], &[]);
        assert_violates("C4", op(1), &[f32s(&[2])], &[f32s(&[1]), f32s(&[1])]);
    }
}
