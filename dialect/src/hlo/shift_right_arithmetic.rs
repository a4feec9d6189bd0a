//! `shift_right_arithmetic`: elementwise right shift with the sign.
//!
//! Meaning: copies of the top bit come in from the left, for unsigned types too; all copies where rhs, read as an unsigned number, is at least the width.
//! Inputs I1 lhs, I2 rhs (integer tensors). Constraints: C1 lhs, rhs and result have one type.
//! Kind: integer. Numerics: exact.
//! Example: `%2 = hlo.shift_right_arithmetic %0, %1 : tensor<2x3xi32>`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{Bound, Bounded},
    builder::Sampler,
    eval::{EvalContext, Stop},
    hlo::{elementwise, shape},
    op::{InferContext, Kind, OpDef},
    program::Program,
    tensor::Value,
    types::Type,
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ShiftRightArithmetic;

impl OpDef for ShiftRightArithmetic {
    const NAME: &'static str = "shift_right_arithmetic";
    const KIND: Kind = Kind::Integer;

    fn from_attributes(_: &mut AttributeReader<'_>) -> ShiftRightArithmetic {
        ShiftRightArithmetic
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new()
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        shape::elementwise(cx, 2, elementwise::integer_or_boolean, "integer") // C1
    }

    fn eval(
        &self,
        operands: &[Value],
        _: &[Type],
        _: &mut EvalContext<'_>,
    ) -> Result<Vec<Value>, Stop> {
        let width = elementwise::Width(shape::operand(operands, 0)?.element().bits());
        elementwise::integer_binary(operands, |a, b| {
            width.signed(a) >> width.shift(b).unwrap_or(127)
        })
    }

    fn bound(
        &self,
        operands: &[Bounded<'_>],
        _: &[Type],
        values: &[Value],
        _: &mut EvalContext<'_>,
    ) -> Result<Vec<Bound>, Stop> {
        Ok(vec![elementwise::exact_or_undetermined(
            operands,
            shape::operand(values, 0)?.len(),
        )])
    }

    fn sample(s: &mut Sampler) -> Program {
        let ty = Type::tensor(s.dims(), s.element(|e| e.is_integer()));
        Sampler::single(ShiftRightArithmetic, &[ty.clone(), ty], &[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hlo::elementwise::testing;
    use crate::types::ElementType;

    #[test]
    fn values() {
        testing::integers(
            &ShiftRightArithmetic,
            ElementType::I8,
            &[&[-1, -128, 64, -5, 5], &[1, 7, 2, 8, -1]],
            &[-1, -1, 16, -1, 0],
        );
        testing::integers(
            &ShiftRightArithmetic,
            ElementType::U8,
            &[&[200, 100], &[1, 9]],
            &[228, 0],
        );
        testing::integers(
            &ShiftRightArithmetic,
            ElementType::I4,
            &[&[-8], &[1]],
            &[-4],
        );
    }
}
