//! `mulhi`: elementwise high half of the double-width product.
//!
//! Meaning: result = floor(lhs * rhs / 2^width). Source: chlo.
//! Inputs I1 lhs, I2 rhs (integer tensors). Constraints: C1 lhs, rhs and result have one type.
//! Kind: integer. Numerics: exact.
//! Example: `%2 = hlo.mulhi %0, %1 : tensor<2x3xi32>`.

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
pub struct Mulhi;

impl OpDef for Mulhi {
    const NAME: &'static str = "mulhi";
    const KIND: Kind = Kind::Integer;

    fn from_attributes(_: &mut AttributeReader<'_>) -> Mulhi {
        Mulhi
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new()
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        shape::elementwise(cx, 2, elementwise::integer, "integer") // C1
    }

    fn eval(
        &self,
        operands: &[Value],
        _: &[Type],
        _: &mut EvalContext<'_>,
    ) -> Result<Vec<Value>, Stop> {
        let bits = shape::operand(operands, 0)?.element().bits();
        // The product of two u64 needs all 128 bits, so its bits are shifted as they are.
        elementwise::integer_binary(operands, |a, b| a.wrapping_mul(b) >> bits)
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
        let ty = Type::tensor(s.dims(), s.element(|e| e.is_integer() && e.bits() > 1));
        Sampler::single(Mulhi, &[ty.clone(), ty], &[])
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
            &Mulhi,
            ElementType::I8,
            &[&[64, -1, 127], &[8, 1, 127]],
            &[2, -1, 63],
        );
        testing::integers(&Mulhi, ElementType::U8, &[&[255], &[255]], &[254]);
        testing::integers(&Mulhi, ElementType::U64, &[&[-1], &[-1]], &[-2]);
    }
}
