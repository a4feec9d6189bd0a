//! `xor`: elementwise logical or bitwise xor.
//!
//! Meaning: result = lhs ^ rhs.
//! Inputs I1 lhs, I2 rhs (boolean or integer tensors). Constraints: C1 lhs, rhs and result have one type.
//! Kind: integer. Numerics: exact.
//! Example: `%2 = hlo.xor %0, %1 : tensor<2x3xi32>`.

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
pub struct Xor;

impl OpDef for Xor {
    const NAME: &'static str = "xor";
    const KIND: Kind = Kind::Integer;

    fn from_attributes(_: &mut AttributeReader<'_>) -> Xor {
        Xor
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new()
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        shape::elementwise(cx, 2, elementwise::integer_or_boolean, "boolean or integer") // C1
    }

    fn eval(
        &self,
        operands: &[Value],
        _: &[Type],
        _: &mut EvalContext<'_>,
    ) -> Result<Vec<Value>, Stop> {
        elementwise::integer_binary(operands, |a, b| a ^ b)
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
        Sampler::single(Xor, &[ty.clone(), ty], &[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hlo::elementwise::testing;
    use crate::types::ElementType;

    #[test]
    fn values() {
        testing::integers(&Xor, ElementType::I32, &[&[12], &[10]], &[6]);
        testing::integers(&Xor, ElementType::I1, &[&[0, 1], &[1, 1]], &[1, 0]);
        testing::integers(&Xor, ElementType::I4, &[&[-1], &[-8]], &[7]);
    }
}
