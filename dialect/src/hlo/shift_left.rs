//! `shift_left`: elementwise left shift.
//!
//! Meaning: result = lhs * 2^rhs, wrapping; 0 where rhs, read as an unsigned number, is at least the width.
//! Inputs I1 lhs, I2 rhs (integer tensors). Constraints: C1 lhs, rhs and result have one type.
//! Kind: integer. Numerics: exact.
//! Example: `%2 = hlo.shift_left %0, %1 : tensor<2x3xi32>`.

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
pub struct ShiftLeft;

impl OpDef for ShiftLeft {
    const NAME: &'static str = "shift_left";
    const KIND: Kind = Kind::Integer;

    fn from_attributes(_: &mut AttributeReader<'_>) -> ShiftLeft {
        ShiftLeft
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
        elementwise::integer_binary(operands, |a, b| width.shift(b).map_or(0, |b| a << b))
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
        Sampler::single(ShiftLeft, &[ty.clone(), ty], &[])
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
            &ShiftLeft,
            ElementType::I8,
            &[&[1, 3, 1, 1, -1], &[3, 7, 8, -1, 1]],
            &[8, -128, 0, 0, -2],
        );
        testing::integers(&ShiftLeft, ElementType::I4, &[&[3], &[2]], &[-4]);
        testing::integers(&ShiftLeft, ElementType::U64, &[&[1], &[64]], &[0]);
    }
}
