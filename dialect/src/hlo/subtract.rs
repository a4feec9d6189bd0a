//! `subtract`: elementwise difference.
//!
//! Meaning: result = lhs - rhs; integers wrap; complex by part.
//! Inputs I1 lhs, I2 rhs (tensors). Constraints: C1 lhs, rhs and result have one type.
//! Kind: arithmetic. Numerics: one rounding; infinities and NaN by IEEE 754.
//! Example: `%2 = hlo.subtract %0, %1 : tensor<2x3xf32>`.

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
pub struct Subtract;

impl OpDef for Subtract {
    const NAME: &'static str = "subtract";
    const KIND: Kind = Kind::Arithmetic;

    fn from_attributes(_: &mut AttributeReader<'_>) -> Subtract {
        Subtract
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new()
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        shape::elementwise(cx, 2, elementwise::number, "a number") // C1
    }

    fn eval(
        &self,
        operands: &[Value],
        _: &[Type],
        cx: &mut EvalContext<'_>,
    ) -> Result<Vec<Value>, Stop> {
        elementwise::binary(
            operands,
            cx,
            elementwise::Binary {
                f32: |a, b| a - b,
                f64: |a, b| a - b,
                complex: |a, b| a - b,
                integer: |a: i128, b| a.wrapping_sub(b),
                boolean: |a, b| a ^ b,
                ring: |a, b, _| ring::sub(a, b),
                ring_complex: |a, b, _| ring::complex::sub_pairs(a, b),
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
        // |(a - b)' - (a - b)| <= ea + eb + u |result|.
        elementwise::bound_binary(operands, values, |_, ea, _, eb| ea + eb)
    }

    fn sample(s: &mut Sampler) -> Program {
        let ty = Type::tensor(s.dims(), s.element(|e| *e != ElementType::I1));
        Sampler::single(Subtract, &[ty.clone(), ty], &[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hlo::elementwise::testing;

    #[test]
    fn values() {
        let inf = f64::INFINITY;
        testing::table_of_two(
            &Subtract,
            0.0,
            &[
                (3.0, 1.0, 2.0),
                (0.0, 0.0, 0.0),
                (-0.0, 0.0, -0.0),
                (inf, inf, f64::NAN),
                (1.0, inf, -inf),
            ],
        );
        testing::integers(
            &Subtract,
            ElementType::I8,
            &[&[-128, 5], &[1, 7]],
            &[127, -2],
        );
        testing::integers(&Subtract, ElementType::U4, &[&[0], &[1]], &[15]);
    }

    #[test]
    fn residues_subtract_and_infinities_cancel_to_undefined() {
        let a = testing::with_given_residues(
            ElementType::F32,
            &[1.0, 2.0],
            &[7, ring::POSITIVE_INFINITY],
        );
        let (out, _) = testing::run(&Subtract, &[a.clone(), a]);
        assert_eq!(out.ring(), Some(&[0, ring::UNDEFINED][..]));
    }
}
