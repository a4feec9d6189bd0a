//! `dynamic_pad`: `pad` with amounts that are computed.
//!
//! Meaning: as `pad`. Inputs I1 operand, I2 padding_value, I3 edge_padding_low, I4 edge_padding_high, I5 interior_padding (lists of integers).
//! Constraints: C1 element types agree and padding_value has rank 0; C2 one entry per dimension in each list; C3 0 <= interior_padding; C4 the sizes of
//! the result follow and are not negative. C3 and C4 are known only at run time: a violation is a trap.
//! Kind: movement. Numerics: bits are kept.
//! Example: `%5 = hlo.dynamic_pad %0, %1, %2, %3, %4 : (tensor<2x3xi64>, tensor<i64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xi64>`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{self, Bound, Bounded},
    builder::Sampler,
    eval::{EvalContext, Stop},
    hlo::{movement, pad, shape},
    op::{InferContext, Kind, OpDef},
    program::Program,
    tensor::Value,
    types::{Dim, ElementType, Type},
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct DynamicPad;

impl OpDef for DynamicPad {
    const NAME: &'static str = "dynamic_pad";
    const KIND: Kind = Kind::Movement;

    fn from_attributes(_: &mut AttributeReader<'_>) -> DynamicPad {
        DynamicPad
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new()
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        let operands = shape::tensors(cx, 5)?;
        let (operand, value) = (operands[0], operands[1]);
        let mut wrong = vec![];
        if operand.element != value.element || value.rank() != 0 {
            wrong.push(format!("C1: padding_value {value} is not a scalar of the element type of {operand}"));
        }
        if operands[2..].iter().any(|t| !movement::is_size_list(t, operand.rank())) {
            wrong.push(format!("C2: the padding lists {}, {}, {} do not fit {operand}", operands[2], operands[3], operands[4]));
        }
        if !wrong.is_empty() {
            return Err(wrong);
        }
        Ok(vec![movement::or_declared(operand.with_dims(vec![Dim::Dynamic { bound: None }; operand.rank()]), cx, 0)])
    }

    fn eval(&self, operands: &[Value], results: &[Type], _: &mut EvalContext<'_>) -> Result<Vec<Value>, Stop> {
        let list = |i| Ok::<_, Stop>(movement::indices(shape::operand(operands, i)?));
        let (x, low, high, interior) = (shape::operand(operands, 0)?, list(2)?, list(3)?, list(4)?);
        if [&low, &high, &interior].iter().any(|l| l.len() != x.rank()) || interior.iter().any(|i| *i < 0) {
            return Err(movement::mismatch(format!("padding {low:?}, {high:?}, {interior:?} of {}", x.ty()))); // C3
        }
        let out = pad::padded(x, shape::operand(operands, 1)?, &low, &high, &interior)?;
        movement::check_declared(out.dims(), results, 0)?;
        Ok(vec![out.into()])
    }

    fn bound(&self, operands: &[Bounded<'_>], results: &[Type], values: &[Value], _: &mut EvalContext<'_>) -> Result<Vec<Bound>, Stop> {
        bound::by_movement(self, &[0, 1], operands, results, values)
    }

    fn sample(s: &mut Sampler) -> Program {
        let (dims, element) = (s.dims(), s.element(|_| true));
        let list = Type::tensor([dims.len() as u64], ElementType::I32);
        Sampler::single(DynamicPad, &[Type::tensor(dims, element.clone()), Type::tensor([], element), list.clone(), list.clone(), list], &[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval_test_runner::*;

    #[test]
    fn amounts_come_from_the_operands() {
        let pad = |low: i64, high: i64, interior: i64| {
            let list = |v| ints(&[1], &[v]);
            eval(DynamicPad, &[floats(&[3], &[1., 2., 3.]), floats(&[], &[9.]), list(low), list(high), list(interior)], &[])
        };
        let out = pad(1, -1, 1).unwrap();
        assert_eq!((out[0].as_slice::<f32>(), out[0].ring()), (&[9f32, 1., 9., 2., 9.][..], Some(&[9, 1, 9, 2, 9][..])));
        assert!(matches!(pad(0, 0, -1), Err(Stop::Trap(_))));
        assert!(matches!(pad(-4, 0, 0), Err(Stop::Trap(_))));
        assert!(matches!(pad(i64::from(i32::MAX), i64::from(i32::MAX), i64::from(i32::MAX)), Err(Stop::Trap(_))));
    }

    #[test]
    fn each_constraint_is_checked() {
        let list = || i32s(&[1]);
        assert_violates("C1", DynamicPad, &[f32s(&[2]), i32s(&[]), list(), list(), list()], &[]);
        assert_violates("C2", DynamicPad, &[f32s(&[2]), f32s(&[]), list(), i32s(&[2]), list()], &[]);
        assert_violates("C2", DynamicPad, &[f32s(&[2]), f32s(&[]), list(), list(), f32s(&[1])], &[]);
    }
}
