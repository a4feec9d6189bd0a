//! `square`: elementwise square.
//!
//! Meaning: result = operand * operand. Source: chlo.
//! Inputs I1 operand. Constraints: C1 operand and result have one type.
//! Kind: arithmetic. Numerics: one rounding (complex: as multiply).
//! Example: `%1 = hlo.square %0 : tensor<2x3xf32>`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{Bound, Bounded},
    builder::Sampler,
    eval::{EvalContext, Stop},
    hlo::{elementwise, region_bound, shape},
    op::{InferContext, Kind, OpDef},
    planes::ring,
    program::Program,
    tensor::Value,
    types::{ElementType, Type},
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Square;

impl OpDef for Square {
    const NAME: &'static str = "square";
    const KIND: Kind = Kind::Arithmetic;

    fn from_attributes(_: &mut AttributeReader<'_>) -> Square {
        Square
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
                real: |x: f64| x * x,
                complex: |z: num_complex::Complex<f64>| z * z,
                integer: |x: i128| x.wrapping_mul(x),
                ring: |r, x, out| {
                    ring::function::each(r, x, out, |r, x| ring::mul(r, r, || (x, x)))
                },
                ring_complex: |r, z, _, _| ring::complex::product(r, r, (z, z)),
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
        let [x] = operands else {
            return Ok(region_bound::undetermined(values));
        };
        elementwise::bound_product(&[*x, *x], values)
    }

    fn sample(s: &mut Sampler) -> Program {
        let ty = Type::tensor(s.dims(), s.element(|e| *e != ElementType::I1));
        Sampler::single(Square, &[ty], &[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hlo::elementwise::testing;

    #[test]
    fn values() {
        testing::table(
            &Square,
            0.0,
            &[
                (-3.0, 9.0),
                (-0.0, 0.0),
                (f64::NEG_INFINITY, f64::INFINITY),
                (f64::NAN, f64::NAN),
            ],
        );
        testing::integers(&Square, ElementType::I8, &[&[16, -3]], &[0, 9]);
        assert_eq!(
            testing::residues(&Square, &[2.0, -1.0], &[7, ring::NEGATIVE_INFINITY]),
            [49, ring::POSITIVE_INFINITY]
        );
    }
}
