//! `slice`: a box of the operand with static starts, limits and strides.
//!
//! Meaning: result[result_index] = operand[start_indices + result_index * strides].
//! Inputs I1 operand, I2 start_indices, I3 limit_indices, I4 strides. Constraints: C1 element types agree; C2 one entry per dimension in each list;
//! C3 0 <= start_indices <= limit_indices <= shape(operand); C4 0 < strides; C5 shape(result) = ceil((limit_indices - start_indices) / strides).
//! Kind: movement. Numerics: bits are kept.
//! Example: `%1 = hlo.slice %0 {start_indices = array<i64: 1>, limit_indices = array<i64: 4>, strides = array<i64: 2>} : (tensor<5xf32>) -> tensor<2xf32>`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{self, Bound, Bounded},
    builder::Sampler,
    eval::{EvalContext, Stop},
    hlo::{movement, shape},
    op::{InferContext, Kind, OpDef},
    program::Program,
    tensor::{Tensor, Value, row_major_strides},
    types::{Dim, Type},
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Slice {
    pub start_indices: Vec<i64>,
    pub limit_indices: Vec<i64>,
    pub strides: Vec<i64>,
}

/// The box of `x` from `start` (inside) of `dims` elements, `steps` apart in each dimension.
pub fn boxed(x: &Tensor, start: &[i64], steps: &[i64], dims: &[u64]) -> Tensor {
    if dims.contains(&0) {
        return x.strided(dims, 0, &vec![0; dims.len()]);
    }
    let strides = row_major_strides(x.dims());
    let offset = start.iter().zip(&strides).map(|(s, stride)| s * stride).sum();
    // A step past the only element is never taken; it may overflow.
    let strides: Vec<i64> = strides.iter().zip(steps.iter().zip(dims)).map(|(s, (step, size))| if *size == 1 { *s } else { s * step }).collect();
    x.strided(dims, offset, &strides)
}

impl OpDef for Slice {
    const NAME: &'static str = "slice";
    const KIND: Kind = Kind::Movement;

    fn from_attributes(reader: &mut AttributeReader<'_>) -> Slice {
        Slice { start_indices: reader.ints("start_indices"), limit_indices: reader.ints("limit_indices"), strides: reader.ints("strides") }
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new()
            .with("start_indices", self.start_indices.clone())
            .with("limit_indices", self.limit_indices.clone())
            .with("strides", self.strides.clone())
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        let operand = shape::tensors(cx, 1)?[0];
        let (starts, limits, strides) = (&self.start_indices, &self.limit_indices, &self.strides);
        if [starts, limits, strides].iter().any(|list| list.len() != operand.rank()) {
            return Err(vec![format!(
                "C2: start_indices, limit_indices and strides have {}, {} and {} entries for rank {}",
                starts.len(),
                limits.len(),
                strides.len(),
                operand.rank()
            )]);
        }
        let inside = |d: usize| {
            let fits = match operand.dims[d] {
                Dim::Static(n) => u64::try_from(limits[d]).is_ok_and(|l| l <= n),
                Dim::Dynamic { .. } => true,
            };
            0 <= starts[d] && starts[d] <= limits[d] && fits
        };
        let mut wrong = vec![];
        if !(0..operand.rank()).all(inside) {
            wrong.push(format!("C3: start_indices {starts:?} and limit_indices {limits:?} do not lie in {operand}"));
        }
        if strides.iter().any(|s| *s <= 0) {
            wrong.push(format!("C4: strides {strides:?} must be positive"));
        }
        if !wrong.is_empty() {
            return Err(wrong);
        }
        let size = |d: usize| Dim::Static(((limits[d] - starts[d]) as u64).div_ceil(strides[d] as u64));
        Ok(vec![movement::or_declared(operand.with_dims((0..operand.rank()).map(size).collect()), cx, 0)]) // C1, C5
    }

    fn eval(&self, operands: &[Value], _: &[Type], _: &mut EvalContext<'_>) -> Result<Vec<Value>, Stop> {
        let operand = shape::operand(operands, 0)?;
        if operand.dims().iter().zip(&self.limit_indices).any(|(n, l)| *l as u64 > *n) {
            return Err(movement::mismatch(format!("slice up to {:?} of {}", self.limit_indices, operand.ty())));
        }
        let range = self.start_indices.iter().zip(&self.limit_indices);
        let dims: Vec<u64> = range.zip(&self.strides).map(|((s, l), step)| ((l - s) as u64).div_ceil(*step as u64)).collect();
        Ok(vec![boxed(operand, &self.start_indices, &self.strides, &dims).into()])
    }

    fn bound(&self, operands: &[Bounded<'_>], results: &[Type], values: &[Value], _: &mut EvalContext<'_>) -> Result<Vec<Bound>, Stop> {
        bound::by_movement(self, &[0], operands, results, values)
    }

    fn sample(s: &mut Sampler) -> Program {
        let (dims, element) = (s.dims(), s.element(|_| true));
        let start_indices: Vec<i64> = dims.iter().map(|d| s.range(0, *d) as i64).collect();
        let limit_indices = dims.iter().zip(&start_indices).map(|(d, start)| s.range(*start as u64, *d) as i64).collect();
        let strides = dims.iter().map(|_| s.range(1, 3) as i64).collect();
        Sampler::single(Slice { start_indices, limit_indices, strides }, &[Type::tensor(dims, element)], &[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{eval_test_runner::*, types::ElementType};

    fn slice(start: &[i64], limit: &[i64], strides: &[i64]) -> Slice {
        Slice { start_indices: start.to_vec(), limit_indices: limit.to_vec(), strides: strides.to_vec() }
    }

    #[test]
    fn takes_every_second_column() {
        let x = floats(&[2, 5], &[1., 2., 3., 4., 5., 6., 7., 8., 9., 10.]);
        let out = eval(slice(&[0, 1], &[2, 5], &[1, 2]), std::slice::from_ref(&x), &[]).unwrap();
        assert_eq!((out[0].dims(), out[0].as_slice::<f32>()), (&[2u64, 2][..], &[2f32, 4., 7., 9.][..]));
        assert_eq!(out[0].ring(), Some(&[2, 4, 7, 9][..]));
        assert_eq!(eval(slice(&[2, 5], &[2, 5], &[1, i64::MAX]), std::slice::from_ref(&x), &[]).unwrap()[0].dims(), [0, 0]);
        assert_eq!(eval(slice(&[1, 4], &[2, 5], &[i64::MAX, i64::MAX]), &[x], &[]).unwrap()[0].as_slice::<f32>(), [10.]);
    }

    #[test]
    fn each_constraint_is_checked() {
        assert_violates("C2", slice(&[0], &[1, 1], &[1]), &[f32s(&[4])], &[]);
        for (start, limit) in [(-1, 2), (3, 2), (0, 5), (i64::MIN, i64::MAX)] {
            assert_violates("C3", slice(&[start], &[limit], &[1]), &[f32s(&[4])], &[]);
        }
        assert_violates("C4", slice(&[0], &[4], &[0]), &[f32s(&[4])], &[]);
        assert_eq!(violated(slice(&[0], &[9], &[1]), &[dynamic(1, ElementType::F32)], &[]), Vec::<String>::new());
    }
}
