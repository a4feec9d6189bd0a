//! `negate`: elementwise negation.
//!
//! Meaning: result = -operand; integers wrap; floats: the sign bit flips, NaN's too.
//! Inputs I1 operand. Constraints: C1 operand and result have one type.
//! Kind: arithmetic. Numerics: exact.
//! Example: `%1 = hlo.negate %0 : tensor<2x3xf32>`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{Bound, Bounded},
    builder::Sampler,
    eval::{EvalContext, Stop},
    hlo::{elementwise, shape},
    op::{InferContext, Kind, OpDef},
    planes::ring,
    program::Program,
    tensor::Value,
    types::{ElementType, Type},
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Negate;

impl OpDef for Negate {
    const NAME: &'static str = "negate";
    const KIND: Kind = Kind::Arithmetic;

    fn from_attributes(_: &mut AttributeReader<'_>) -> Negate {
        Negate
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new()
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        shape::elementwise(cx, 1, elementwise::number, "a number") // C1
    }

    fn eval(
        &self,
        operands: &[Value],
        _: &[Type],
        cx: &mut EvalContext<'_>,
    ) -> Result<Vec<Value>, Stop> {
        elementwise::unary(
            operands,
            cx,
            elementwise::Unary {
                real: |x: f64| -x,
                complex: |z: num_complex::Complex<f64>| -z,
                integer: |x: i128| -x,
                ring: |r, x, out| ring::function::each(r, x, out, |r, _| ring::neg(r)),
                ring_complex: |r, _, _, _| ring::complex::neg_pair(r),
            },
        )
    }

    fn bound(
        &self,
        operands: &[Bounded<'_>],
        _: &[Type],
        values: &[Value],
        _: &mut EvalContext<'_>,
    ) -> Result<Vec<Bound>, Stop> {
        elementwise::bound_exact_op(values, |i| operands[0].error.at(i))
    }

    fn sample(s: &mut Sampler) -> Program {
        let ty = Type::tensor(s.dims(), s.element(|e| *e != ElementType::I1));
        Sampler::single(Negate, &[ty], &[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hlo::elementwise::testing;

    #[test]
    fn values() {
        testing::table(
            &Negate,
            0.0,
            &[
                (1.0, -1.0),
                (0.0, -0.0),
                (f64::INFINITY, f64::NEG_INFINITY),
                (f64::NAN, f64::NAN),
            ],
        );
        testing::integers(&Negate, ElementType::I8, &[&[-128, 5, 0]], &[-128, -5, 0]);
        testing::integers(&Negate, ElementType::U8, &[&[1]], &[255]);
        assert_eq!(
            testing::residues(&Negate, &[1.0, 2.0], &[7, ring::POSITIVE_INFINITY]),
            [ring::P - 7, ring::NEGATIVE_INFINITY]
        );
    }
}
