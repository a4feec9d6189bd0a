//! `count_leading_zeros`: elementwise number of zero bits above the highest one bit.
//!
//! Meaning: counted in the width of the type, wrapping to it.
//! Inputs I1 operand (integer tensor). Constraints: C1 operand and result have one type.
//! Kind: integer. Numerics: exact.
//! Example: `%1 = hlo.count_leading_zeros %0 : tensor<2x3xi32>`.

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
pub struct CountLeadingZeros;

impl OpDef for CountLeadingZeros {
    const NAME: &'static str = "count_leading_zeros";
    const KIND: Kind = Kind::Integer;

    fn from_attributes(_: &mut AttributeReader<'_>) -> CountLeadingZeros {
        CountLeadingZeros
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new()
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        shape::elementwise(cx, 1, elementwise::integer_or_boolean, "integer") // C1
    }

    fn eval(
        &self,
        operands: &[Value],
        _: &[Type],
        _: &mut EvalContext<'_>,
    ) -> Result<Vec<Value>, Stop> {
        elementwise::integer_unary(operands, |bits, x| {
            (elementwise::Width(bits).unsigned(x).leading_zeros() + bits)
                .saturating_sub(128)
                .into()
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
        Sampler::single(CountLeadingZeros, &[ty], &[])
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
            &CountLeadingZeros,
            ElementType::I8,
            &[&[0, 1, -1, 16]],
            &[8, 7, 0, 3],
        );
        testing::integers(&CountLeadingZeros, ElementType::U16, &[&[1]], &[15]);
        testing::integers(&CountLeadingZeros, ElementType::I64, &[&[0]], &[64]);
    }
}
