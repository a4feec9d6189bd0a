//! `not`: elementwise bitwise or logical complement.
//!
//! Meaning: every bit flips.
//! Inputs I1 operand (boolean or integer tensor). Constraints: C1 operand and result have one type.
//! Kind: integer. Numerics: exact.
//! Example: `%1 = hlo.not %0 : tensor<2x3xi32>`.

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
pub struct Not;

impl OpDef for Not {
    const NAME: &'static str = "not";
    const KIND: Kind = Kind::Integer;

    fn from_attributes(_: &mut AttributeReader<'_>) -> Not {
        Not
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new()
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        shape::elementwise(cx, 1, elementwise::integer_or_boolean, "boolean or integer") // C1
    }

    fn eval(
        &self,
        operands: &[Value],
        _: &[Type],
        _: &mut EvalContext<'_>,
    ) -> Result<Vec<Value>, Stop> {
        elementwise::integer_unary(operands, |_, x| !x)
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
        Sampler::single(Not, &[ty], &[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hlo::elementwise::testing;
    use crate::types::ElementType;

    #[test]
    fn values() {
        testing::integers(&Not, ElementType::I8, &[&[0, -1, 5]], &[-1, 0, -6]);
        testing::integers(&Not, ElementType::U4, &[&[0]], &[15]);
        testing::integers(&Not, ElementType::I1, &[&[0, 1]], &[1, 0]);
    }
}
