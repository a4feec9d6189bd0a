//! `sign`: elementwise sign.
//!
//! Meaning: -1, 0 or 1; floats keep -0, +0 and NaN; complex: operand / |operand|, 0 at 0, (NaN, NaN) beside NaN.
//! Inputs I1 operand. Constraints: C1 operand and result have one type.
//! Kind: selection on the IEEE plane (complex: arithmetic). Numerics: exact (complex: 2 roundings a part).
//! Example: `%1 = hlo.sign %0 : tensor<2x3xf32>`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{Bound, Bounded},
    builder::Sampler,
    eval::{EvalContext, Stop},
    hlo::{
        elementwise::{self, complex},
        shape,
    },
    op::{InferContext, Kind, OpDef},
    planes::ring,
    program::Program,
    tensor::Value,
    types::{ElementType, Type},
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Sign;

impl OpDef for Sign {
    const NAME: &'static str = "sign";
    const KIND: Kind = Kind::Selection;

    fn from_attributes(_: &mut AttributeReader<'_>) -> Sign {
        Sign
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
                real: sign,
                complex: complex::sign,
                integer: |x: i128| x.signum(),
                ring: |r, x, out| ring::function::each(r, x, out, |_, x| ring::embed_f64(sign(x))),
                ring_complex: ring::complex::sign,
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
        if shape::operand(values, 0)?.element().is_complex() {
            // |z'/|z'| - z/|z|| <= 2 e / |z|.
            return elementwise::bound_modulus(operands, values, 2.0, |x, e, _| {
                if e < x { 2.0 * e / x } else { f64::INFINITY }
            });
        }
        elementwise::bound_steps(operands, values, sign)
    }

    fn sample(s: &mut Sampler) -> Program {
        let ty = Type::tensor(s.dims(), s.element(|e| *e != ElementType::I1));
        Sampler::single(Sign, &[ty], &[])
    }
}

fn sign(x: f64) -> f64 {
    if x.is_nan() || x == 0.0 {
        x
    } else {
        1f64.copysign(x)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hlo::elementwise::testing;
    use crate::tensor::Tensor;

    #[test]
    fn values() {
        testing::table(
            &Sign,
            0.0,
            &[
                (-3.5, -1.0),
                (2.0, 1.0),
                (0.0, 0.0),
                (-0.0, -0.0),
                (f64::NAN, f64::NAN),
                (f64::NEG_INFINITY, -1.0),
                (5e-324, 1.0),
            ],
        );
        testing::integers(&Sign, ElementType::I8, &[&[-128, 0, 5]], &[-1, 0, 1]);
        assert_eq!(
            testing::residues(&Sign, &[-2.0, 3.0, 0.0], &[7, 8, 0]),
            [ring::P - 1, 1, 0]
        );
    }

    #[test]
    fn complex_signs_are_unit_numbers() {
        let z = Tensor::from_slice(&[2], ElementType::C64, &[[3f32, -4.0], [0.0, 0.0]])
            .with_embedded_ring();
        let (out, _) = testing::run(&Sign, &[z]);
        assert_eq!(out.as_slice::<[f32; 2]>(), [[0.6, -0.8], [0.0, 0.0]]);
    }
}
