//! `multiply`: elementwise product.
//!
//! Meaning: result = lhs * rhs; booleans: logical and; integers wrap; complex: (ac - bd) + (ad + bc)i.
//! Inputs I1 lhs, I2 rhs (tensors). Constraints: C1 lhs, rhs and result have one type.
//! Kind: arithmetic. Numerics: one rounding (complex: three); infinities and NaN by IEEE 754, by part for complex numbers.
//! Example: `%2 = hlo.multiply %0, %1 : tensor<2x3xf32>`.

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
    types::Type,
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Multiply;

impl OpDef for Multiply {
    const NAME: &'static str = "multiply";
    const KIND: Kind = Kind::Arithmetic;

    fn from_attributes(_: &mut AttributeReader<'_>) -> Multiply {
        Multiply
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new()
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        shape::elementwise(cx, 2, |_| true, "any") // C1
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
                f32: |a, b| a * b,
                f64: |a, b| a * b,
                complex: |a, b| a * b,
                integer: |a: i128, b| a.wrapping_mul(b),
                boolean: |a, b| a & b,
                ring: |a, b, values| ring::mul(a, b, || values),
                ring_complex: ring::complex::product,
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
        elementwise::bound_product(operands, values)
    }

    fn sample(s: &mut Sampler) -> Program {
        let ty = Type::tensor(s.dims(), s.element(|_| true));
        Sampler::single(Multiply, &[ty.clone(), ty], &[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hlo::elementwise::testing;
    use crate::{tensor::Tensor, types::ElementType};

    #[test]
    fn values() {
        let inf = f64::INFINITY;
        testing::table_of_two(
            &Multiply,
            0.0,
            &[
                (3.0, -2.0, -6.0),
                (-0.0, 2.0, -0.0),
                (0.0, inf, f64::NAN),
                (-2.0, inf, -inf),
            ],
        );
        testing::integers(
            &Multiply,
            ElementType::I8,
            &[&[-128, 16], &[-1, 17]],
            &[-128, 16],
        );
        testing::integers(&Multiply, ElementType::I1, &[&[1, 1], &[0, 1]], &[0, 1]);
        testing::integers(&Multiply, ElementType::U64, &[&[-1], &[-1]], &[1]);
    }

    #[test]
    fn residues_multiply() {
        let a = testing::with_given_residues(ElementType::BF16, &[0.0, -2.0], &[0, 5]);
        let b = testing::with_given_residues(
            ElementType::BF16,
            &[f64::INFINITY; 2],
            &[ring::POSITIVE_INFINITY; 2],
        );
        let (out, _) = testing::run(&Multiply, &[a.clone(), b]);
        assert_eq!(
            out.ring(),
            Some(&[ring::UNDEFINED, ring::NEGATIVE_INFINITY][..])
        );
        let (square, _) = testing::run(&Multiply, &[a.clone(), a]);
        assert_eq!(square.ring(), Some(&[0, 25][..]));
    }

    #[test]
    fn complex_products() {
        let i = Tensor::from_slice(&[1], ElementType::C64, &[[0f32, 1.0]]).with_embedded_ring();
        let (out, _) = testing::run(&Multiply, &[i.clone(), i]);
        assert_eq!(out.as_slice::<[f32; 2]>(), [[-1.0, 0.0]]);
        assert_eq!(out.ring(), Some(&[ring::P - 1, 0][..]));
    }
}
