//! `real_dynamic_slice`: `slice` with starts, limits and strides that are computed.
//!
//! Meaning: as `slice`. Inputs I1 operand, I2 start_indices, I3 limit_indices, I4 strides (lists of integers). Constraints: C1 element types agree;
//! C2 one entry per dimension in each list; C3 0 <= start_indices <= limit_indices <= shape(operand); C4 0 < strides. C3 and C4 are known only at run
//! time: a violation is a trap.
//! Kind: movement. Numerics: bits are kept.
//! Example: `%4 = hlo.real_dynamic_slice %0, %1, %2, %3 : (tensor<?xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{self, Bound, Bounded},
    builder::Sampler,
    eval::{EvalContext, Stop},
    hlo::{movement, shape, slice},
    op::{InferContext, Kind, OpDef},
    program::Program,
    tensor::Value,
    types::{Dim, ElementType, Type},
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RealDynamicSlice;

impl OpDef for RealDynamicSlice {
    const NAME: &'static str = "real_dynamic_slice";
    const KIND: Kind = Kind::Movement;

    fn from_attributes(_: &mut AttributeReader<'_>) -> RealDynamicSlice {
        RealDynamicSlice
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new()
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        let operands = shape::tensors(cx, 4)?;
        let operand = operands[0];
        if operands[1..].iter().any(|t| !movement::is_size_list(t, operand.rank())) {
            return Err(vec![format!("C2: the lists {}, {}, {} do not fit {operand}", operands[1], operands[2], operands[3])]);
        }
        Ok(vec![movement::or_declared(operand.with_dims(vec![Dim::Dynamic { bound: None }; operand.rank()]), cx, 0)])
    }

    fn eval(&self, operands: &[Value], results: &[Type], _: &mut EvalContext<'_>) -> Result<Vec<Value>, Stop> {
        let list = |i| Ok::<_, Stop>(movement::indices(shape::operand(operands, i)?));
        let (x, starts, limits, strides) = (shape::operand(operands, 0)?, list(1)?, list(2)?, list(3)?);
        let inside = |d: usize| 0 <= starts[d] && starts[d] <= limits[d] && limits[d] as u64 <= x.dims()[d] && strides[d] > 0;
        if [&starts, &limits, &strides].iter().any(|l| l.len() != x.rank()) || !(0..x.rank()).all(inside) {
            return Err(movement::mismatch(format!("slice {starts:?} to {limits:?} by {strides:?} of {}", x.ty()))); // C3, C4
        }
        let dims: Vec<u64> = (0..x.rank()).map(|d| ((limits[d] - starts[d]) as u64).div_ceil(strides[d] as u64)).collect();
        movement::check_declared(&dims, results, 0)?;
        Ok(vec![slice::boxed(x, &starts, &strides, &dims).into()])
    }

    fn bound(&self, operands: &[Bounded<'_>], results: &[Type], values: &[Value], _: &mut EvalContext<'_>) -> Result<Vec<Bound>, Stop> {
        bound::by_movement(self, &[0], operands, results, values)
    }

    fn sample(s: &mut Sampler) -> Program {
        let (dims, element) = (s.dims(), s.element(|_| true));
        let list = Type::tensor([dims.len() as u64], ElementType::I32);
        Sampler::single(RealDynamicSlice, &[Type::tensor(dims, element), list.clone(), list.clone(), list], &[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval_test_runner::*;

    #[test]
    fn the_box_comes_from_the_operands() {
        let slice = |start: i64, limit: i64, stride: i64| {
            let list = |v| ints(&[1], &[v]);
            eval(RealDynamicSlice, &[floats(&[5], &[1., 2., 3., 4., 5.]), list(start), list(limit), list(stride)], &[])
        };
        let out = slice(1, 5, 2).unwrap();
        assert_eq!((out[0].as_slice::<f32>(), out[0].ring()), (&[2f32, 4.][..], Some(&[2, 4][..])));
        assert_eq!(slice(5, 5, 1).unwrap()[0].dims(), [0]);
        for (start, limit, stride) in [(-1, 2, 1), (0, 6, 1), (3, 2, 1), (0, 5, 0)] {
            assert!(matches!(slice(start, limit, stride), Err(Stop::Trap(_))));
        }
    }

    #[test]
    fn each_constraint_is_checked() {
        let list = || i32s(&[1]);
        assert_violates("C2", RealDynamicSlice, &[f32s(&[2]), list(), i32s(&[2]), list()], &[]);
        assert_violates("C2", RealDynamicSlice, &[f32s(&[2]), list(), list(), f32s(&[1])], &[]);
    }
}
