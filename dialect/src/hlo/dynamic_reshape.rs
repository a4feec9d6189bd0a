//! `dynamic_reshape`: `reshape` to a shape that is computed.
//!
//! Meaning: result[result_index] = operand[operand_index] where both indices have the same row-major position; shape(result) = output_shape.
//! Inputs I1 operand, I2 output_shape. Constraints: C1 element types agree (a quantized axis may move); C2 the numbers of elements agree; C3 the quantized
//! axis keeps its place; C4 size(output_shape) = rank(result). A shape that does not fit at run time is a trap.
//! Kind: movement. Numerics: bits are kept.
//! Example: `%2 = hlo.dynamic_reshape %0, %1 : (tensor<2x3xi64>, tensor<2xi64>) -> tensor<?x2xi64>`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{Bound, Bounded},
    builder::Sampler,
    eval::{EvalContext, Stop},
    hlo::{movement, reshape, shape},
    op::{InferContext, Kind, OpDef},
    program::Program,
    tensor::{Tensor, Value},
    types::{ElementType, Type},
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct DynamicReshape;

impl OpDef for DynamicReshape {
    const NAME: &'static str = "dynamic_reshape";
    const KIND: Kind = Kind::Movement;

    fn from_attributes(_: &mut AttributeReader<'_>) -> DynamicReshape {
        DynamicReshape
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new()
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        let operands = shape::tensors(cx, 2)?;
        let operand = operands[0];
        let result = movement::declared_or_unknown(cx, operands[1], &operand.element, "C4")?;
        let mut wrong = reshape::element_violations(operand, &result);
        if let (Some(a), Some(b)) = (operand.elements(), result.elements())
            && a != b
        {
            wrong.push(format!("C2: {operand} has {a} elements, {result} has {b}"));
        }
        if wrong.is_empty() { Ok(vec![result.into()]) } else { Err(wrong) }
    }

    fn eval(&self, operands: &[Value], results: &[Type], _: &mut EvalContext<'_>) -> Result<Vec<Value>, Stop> {
        let operand = shape::operand(operands, 0)?;
        let dims = movement::computed_dims(operands, 1, operand.element(), results)?;
        if crate::tensor::count(&dims) != operand.len() {
            return Err(movement::mismatch(format!("reshape of {} to {dims:?}", operand.ty())));
        }
        Ok(vec![movement::retyped(operand.reshaped(&dims), results, 0).into()])
    }

    fn bound(&self, operands: &[Bounded<'_>], _: &[Type], values: &[Value], _: &mut EvalContext<'_>) -> Result<Vec<Bound>, Stop> {
        match operands {
            [data, sizes] if sizes.error.is_exact() => Ok(vec![data.error.clone()]),
            _ => Ok(values.iter().map(|v| Bound::undetermined(v.as_tensor().map_or(0, Tensor::len))).collect()),
        }
    }

    fn sample(s: &mut Sampler) -> Program {
        let (dims, element) = (s.dims(), s.element(|_| true));
        let sizes = Type::tensor([dims.len() as u64], if s.range(0, 1) == 0 { ElementType::I32 } else { ElementType::I64 });
        let declared = Type::tensor(dims.iter().rev().copied(), element.clone());
        Sampler::single(DynamicReshape, &[Type::tensor(dims, element), sizes], &[declared])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval_test_runner::*;

    #[test]
    fn the_example_of_the_specification() {
        let x = ints(&[2, 3], &[1, 2, 3, 4, 5, 6]);
        let to = |sizes: &[i64]| eval(DynamicReshape, &[x.clone(), ints(&[sizes.len() as u64], sizes)], &[]);
        let out = to(&[3, 2]).unwrap();
        assert_eq!((out[0].dims(), out[0].as_slice::<i32>()), (&[3u64, 2][..], &[1, 2, 3, 4, 5, 6][..]));
        for bad in [&[3, 3][..], &[-3, -2], &[6, i64::from(i32::MAX)]] {
            assert!(matches!(to(bad), Err(Stop::Trap(_))), "{bad:?}");
        }
    }

    #[test]
    fn each_constraint_is_checked() {
        let sizes = |n: u64| i32s(&[n]);
        assert_violates("C1", DynamicReshape, &[i32s(&[6]), sizes(2)], &[f32s(&[3, 2])]);
        assert_violates("C2", DynamicReshape, &[i32s(&[6]), sizes(2)], &[i32s(&[3, 3])]);
        assert_violates("C4", DynamicReshape, &[i32s(&[6]), sizes(1)], &[i32s(&[3, 2])]);
        assert_violates("C4", DynamicReshape, &[i32s(&[6]), f32s(&[2])], &[i32s(&[3, 2])]);
    }
}
