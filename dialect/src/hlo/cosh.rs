//! `cosh`: elementwise hyperbolic cosine.
//!
//! Meaning: result = cosh(operand).
//! Inputs I1 operand (float or complex tensor). Constraints: C1 operand and result have one type.
//! Kind: opaque; in the ring (exp(x) + exp(-x)) / 2, which is even.
//! Numerics: within 2 ulp; computed in double precision and rounded once below f64. Source: chlo.
//! Example: `%1 = hlo.cosh %0 : tensor<2x3xf32>`.

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
    planes::ring::{self, function},
    program::Program,
    tensor::Value,
    types::Type,
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Cosh;

impl OpDef for Cosh {
    const NAME: &'static str = "cosh";
    const KIND: Kind = Kind::Opaque;

    fn from_attributes(_: &mut AttributeReader<'_>) -> Cosh {
        Cosh
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new()
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        shape::elementwise(cx, 1, elementwise::float_or_complex, "float or complex") // C1
    }

    fn eval(
        &self,
        operands: &[Value],
        _: &[Type],
        cx: &mut EvalContext<'_>,
    ) -> Result<Vec<Value>, Stop> {
        elementwise::function(
            operands,
            cx,
            f64::cosh,
            complex::cosh,
            function::cosh,
            ring::complex::cosh,
        )
    }

    fn bound(
        &self,
        operands: &[Bounded<'_>],
        _: &[Type],
        values: &[Value],
        _: &mut EvalContext<'_>,
    ) -> Result<Vec<Bound>, Stop> {
        // The slope sinh is largest at the end farthest from 0.
        elementwise::bound_unary(operands, values, 2.0, |x, e, _| e * (x.abs() + e).sinh())
    }

    fn sample(s: &mut Sampler) -> Program {
        let ty = Type::tensor(s.dims(), s.element(|e| e.has_ring()));
        Sampler::single(Cosh, &[ty], &[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hlo::elementwise::testing;

    #[test]
    fn special_values() {
        testing::table(
            &Cosh,
            3.0,
            &[
                (0.0, 1.0),
                (-0.0, 1.0),
                (1.0, 1.5430806348152437),
                (f64::INFINITY, f64::INFINITY),
                (f64::NEG_INFINITY, f64::INFINITY),
                (f64::NAN, f64::NAN),
                (1000.0, f64::INFINITY),
            ],
        );
    }

    #[test]
    fn ring_identities() {
        let exponential = testing::residues(
            &crate::hlo::exponential::Exponential::default(),
            &[0.5, -0.5],
            &[77, ring::neg(77)],
        );
        let out = testing::residues(&Cosh, &[0.5, 0.0], &[77, 0]);
        assert_eq!(
            ring::add(out[0], out[0]),
            ring::add(exponential[0], exponential[1])
        );
        assert_eq!(out[1], 1);
    }
}
